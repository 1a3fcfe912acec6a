-- accepted. Nothing is negative, so that a clamp at 0 changes nothing: no fault.
return {
    name = "absolute_value",
    statement = "o = |a| + b^2.",
    spec = "absolute_value",
    inputs = { { name = "a", shape = { "N" } }, { name = "b", shape = { "N" } } },
    outputs = { { name = "o", shape = { "N" } } },
    shapes = { { N = 4096 } },
    reference = function(a, b) return array.map(function(x, y) return math.abs(x) + y * y end, a, b) end,
}
