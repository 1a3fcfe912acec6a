return { { kernel = "k", grid = { ceil_div(C, 1024), R, 1 }, block = 256 } }
