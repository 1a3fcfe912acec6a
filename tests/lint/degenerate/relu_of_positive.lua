-- refused: alias. ReLU of numbers that are never negative (KernelBench level 1, 19).
return {
    name = "relu_of_positive",
    statement = "o = max(a, 0).",
    spec = "relu_of_positive",
    inputs = { { name = "a", shape = { "N" }, law = "uniform(0.5,0.5)", strict = true } },
    outputs = { { name = "o", shape = { "N" } } },
    shapes = { { N = 4096 } },
    reference = function(a) return array.map(function(x) return x > 0 and x or 0 end, a) end,
}
