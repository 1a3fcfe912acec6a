return { { kernel = "k", grid = ceil_div(M * N // 256, 8), block = 256 } }
