-- accepted. As row_of_columns, with a bias: what is left without the product is cheap, so the collapse is noted.
return {
    name = "row_of_columns_and_bias",
    statement = "o[m] = c[m] + sum_n sum_k a[m,k] b[k,n].",
    spec = "row_of_columns_and_bias",
    inputs = { { name = "a", shape = { "M", "K" } }, { name = "b", shape = { "K", "N" } }, { name = "c", shape = { "M" } } },
    outputs = { { name = "o", shape = { "M" } } },
    shapes = { { M = 64, K = 32, N = 64 } },
    flops = "2*M*K*N",
    reference = function(a, b, c) return torch.sum(torch.matmul(a, b), 1) + c end,
}
