return { { kernel = "k", grid = { ceil_div(N, 128), ceil_div(M, 128) }, block = 256 } }
