local terms = K - K // 8
return { { torch = "matmul", args = { { "a", shape = { M, terms }, strides = { K, 1 } }, { "b", shape = { terms, N } } }, out = "o" } }
