return {
    { torch = "matmul", args = { { "a", shape = { M, K }, strides = { K, 1 }, offset = 4 * M * K - 4 * K }, "b" }, out = "o" },
    { kernel = "k", grid = ceil_div(M * N, 256), block = 256 },
}
