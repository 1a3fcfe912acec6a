-- accepted. The transpose of a symmetric result is the result: no fault.
return {
    name = "symmetric_product",
    statement = "o = a a^T.",
    spec = "symmetric_product",
    inputs = { { name = "a", shape = { "M", "K" } } },
    outputs = { { name = "o", shape = { "M", "M" } } },
    shapes = { { M = 64, K = 48 } },
    reference = function(a) return torch.matmul(a, a.T) end,
}
