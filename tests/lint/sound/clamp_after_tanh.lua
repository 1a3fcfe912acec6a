-- accepted. A clamp of values that are inside of it already (KernelBench level 2, 81) is noted, not refused.
return {
    name = "clamp_after_tanh",
    statement = "o = tanh(a b) clamped to [-1, 1].",
    spec = "clamp_after_tanh",
    inputs = { { name = "a", shape = { "M", "K" }, law = "normal(0.2)" }, { name = "b", shape = { "K", "N" } } },
    outputs = { { name = "o", shape = { "M", "N" } } },
    shapes = { { M = 64, K = 32, N = 64 } },
    reference = function(a, b) return torch.clamp(torch.tanh(torch.matmul(a, b)), -1, 1) end,
}
