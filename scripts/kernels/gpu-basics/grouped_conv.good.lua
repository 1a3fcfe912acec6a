return { { kernel = "k", grid = { ceil_div(W, 32) * ceil_div(H, 32), G }, block = 256 } }
