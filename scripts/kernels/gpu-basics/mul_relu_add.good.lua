return { { kernel = "k", grid = { ceil_div(N, 1024), 1, 1 }, block = 256 } }
