-- accepted. Linear in the scale, whose coefficients are the product itself: no algebra takes it away.
return {
    name = "product_scaled",
    statement = "o[m,n] = c[n] sum_k a[m,k] b[k,n].",
    spec = "product_scaled",
    inputs = { { name = "a", shape = { "M", "K" } }, { name = "b", shape = { "K", "N" } }, { name = "c", shape = { "N" } } },
    outputs = { { name = "o", shape = { "M", "N" } } },
    shapes = { { M = 64, K = 96, N = 64 } },
    terms = "K",
    flops = "2*M*K*N",
    reference = function(a, b, c) return torch.matmul(a, b) * c end,
}
