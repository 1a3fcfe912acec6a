return { { kernel = "k", grid = ceil_div(N, 256), block = 256, args = { "a", "b", "o", int(N) } } }
