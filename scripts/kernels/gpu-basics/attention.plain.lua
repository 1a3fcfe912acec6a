return { { kernel = "k", grid = ceil_div(H * S, 64), block = 64 } }
