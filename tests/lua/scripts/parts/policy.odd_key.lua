-- A key of its option is misspelt.
return {
  options = { { name = "text", kind = "text", defualt = "", doc = "the answer" } },
  create = function() return function() return "" end end,
}
