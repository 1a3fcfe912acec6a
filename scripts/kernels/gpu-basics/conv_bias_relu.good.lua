return { { kernel = "k", grid = { ceil_div(W, 32) * ceil_div(H, 8), ceil_div(M, 64), B }, block = 256 } }
