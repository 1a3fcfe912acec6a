return { { kernel = "k", grid = { ceil_div(N, 8), 1, 1 }, block = 256 } }
