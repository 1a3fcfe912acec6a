return { { kernel = "k", grid = ceil_div(R, 8), block = 256 } }
