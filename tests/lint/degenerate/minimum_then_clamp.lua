-- refused: zeros. The minimum with 0 is clamped to [0, 1] (KernelBench level 2, 83).
return {
    name = "minimum_then_clamp",
    statement = "min(a b, 0) clamped to [0, 1].",
    spec = "minimum_then_clamp",
    inputs = { { name = "a", shape = { "M", "K" } }, { name = "b", shape = { "K", "N" } } },
    outputs = { { name = "o", shape = { "M", "N" } } },
    shapes = { { M = 64, K = 32, N = 64 } },
    reference = function(a, b) return torch.clamp(torch.clamp(torch.matmul(a, b), nil, 0), 0, 1) end,
}
