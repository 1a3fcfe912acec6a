-- Its option is of a kind that does not exist.
return {
  options = { { name = "device", kind = "gpu", doc = "where it runs" } },
  create = function() return function() return "" end end,
}
