return { { kernel = "k", grid = { ceil_div(N, 1024), M, 1 }, block = 256 } }
