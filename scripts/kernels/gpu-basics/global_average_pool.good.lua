return { { kernel = "k", grid = ceil_div(B * C, 8), block = 256 } }
