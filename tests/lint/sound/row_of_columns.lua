-- accepted. A product that sums its output over columns is right but cheaper than it looks: noted, not refused.
return {
    name = "row_of_columns",
    statement = "o[m] = sum_n sum_k a[m,k] b[k,n].",
    spec = "row_of_columns",
    inputs = { { name = "a", shape = { "M", "K" } }, { name = "b", shape = { "K", "N" } } },
    outputs = { { name = "o", shape = { "M" } } },
    shapes = { { M = 64, K = 32, N = 64 } },
    flops = "2*M*K*N",
    reference = function(a, b) return torch.sum(torch.matmul(a, b), 1) end,
}
