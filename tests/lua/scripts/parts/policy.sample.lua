-- A policy in a file, for the tests: it always gives the same text.
return {
  options = { { name = "text", kind = "text", preset = "", doc = "the answer" } },
  create = function(options) return function() return options.text end end,
}
