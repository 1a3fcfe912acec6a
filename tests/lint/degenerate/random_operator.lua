-- refused: reference. Nobody can be right about random numbers (KernelBench level 2, 66).
return {
    name = "random_operator",
    statement = "Dropout of a with probability one half.",
    spec = "random_operator",
    inputs = { { name = "a", shape = { "N" } } },
    outputs = { { name = "o", shape = { "N" } } },
    shapes = { { N = 1024 } },
    reference = function(a) return torch.dropout(a, 0.5, true) end,
}
