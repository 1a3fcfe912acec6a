return { { kernel = "k", grid = { ceil_div(H * W, 128), ceil_div(M, 128) }, block = 256 } }
