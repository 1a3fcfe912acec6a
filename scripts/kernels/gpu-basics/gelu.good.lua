return { { kernel = "k", grid = { ceil_div(N, 2048), 1, 1 }, block = 256 } }
