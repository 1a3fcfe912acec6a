-- refused: alias. What is added to the input lies far below the tolerance (KernelBench level 2, 51).
return {
    name = "residual_drowns_the_rest",
    statement = "o = a + 1e-7 tanh(b).",
    spec = "residual_drowns_the_rest",
    inputs = { { name = "a", shape = { "N" } }, { name = "b", shape = { "N" } } },
    outputs = { { name = "o", shape = { "N" } } },
    shapes = { { N = 4096 } },
    reference = function(a, b) return torch.add(a, torch.tanh(b), { alpha = 1e-7 }) end,
}
