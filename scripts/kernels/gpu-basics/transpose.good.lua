return { { kernel = "k", grid = { ceil_div(C, 64), ceil_div(R, 64), 1 }, block = 256 } }
