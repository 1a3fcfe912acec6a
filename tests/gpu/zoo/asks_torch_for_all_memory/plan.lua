local terms = 1 << 26
return {
    { torch = "matmul", args = { { "a", shape = { M, terms }, strides = { 0, 0 } }, { "b", shape = { terms, N }, strides = { 0, 0 } } }, out = "o" },
    { kernel = "k", grid = ceil_div(M * N, 256), block = 256 },
}
