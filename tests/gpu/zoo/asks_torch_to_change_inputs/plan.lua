return {
    { torch = "matmul", args = { { "a", shape = { K, K } }, { "a", shape = { K, K } } }, out = { "b", shape = { K, K } } },
    { kernel = "k", grid = ceil_div(M * N, 256), block = 256 },
}
