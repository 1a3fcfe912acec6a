return { { kernel = "k", grid = ceil_div(N, 256), block = 256, cooperative = true } }
