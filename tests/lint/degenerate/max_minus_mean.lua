-- refused: zeros. A maximum keeps a dimension of length 1, then its own mean over that dimension is subtracted (KernelBench level 2, 80).
return {
    name = "max_minus_mean",
    statement = "GELU of the row maximum of a b minus its mean.",
    spec = "max_minus_mean",
    inputs = { { name = "a", shape = { "M", "K" } }, { name = "b", shape = { "K", "N" } } },
    outputs = { { name = "o", shape = { "M", 1 } } },
    shapes = { { M = 64, K = 32, N = 64 } },
    reference = function(a, b)
        local top = torch.amax(torch.matmul(a, b), 1, true)
        return torch.gelu(top - torch.mean(top, 1, true))
    end,
}
