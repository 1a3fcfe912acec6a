return { { kernel = "k", grid = { ceil_div(M, 128), ceil_div(N, 32) }, block = 128 } }
