return { { kernel = "k", grid = { ceil_div(R, 8), 1, 1 }, block = 256 } }
