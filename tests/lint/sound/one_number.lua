-- accepted. Input b has one element, which is its own mean: to take it for its mean is no fault.
return {
    name = "one_number",
    statement = "o = a * b.",
    spec = "one_number",
    inputs = { { name = "a", shape = { "N" } }, { name = "b", shape = { 1 } } },
    outputs = { { name = "o", shape = { "N" } } },
    shapes = { { N = 4096 } },
    reference = function(a, b) return array.map(function(x) return x * b[1] end, a) end,
}
