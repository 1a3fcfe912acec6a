return { { kernel = "k", grid = { ceil_div(W, 16) * ceil_div(H, 8), ceil_div(M, 32) }, block = 256 } }
