-- refused: ignored. Input b is multiplied by 0.
return {
    name = "input_without_weight",
    statement = "o = a a + 0 b.",
    spec = "input_without_weight",
    inputs = { { name = "a", shape = { "N" } }, { name = "b", shape = { "N" }, law = "uniform(1)" } },
    outputs = { { name = "o", shape = { "N" } } },
    shapes = { { N = 4096 } },
    reference = function(a, b) return array.map(function(x, y) return x * x + 0 * math.max(-1, math.min(1, y)) end, a, b) end,
}
