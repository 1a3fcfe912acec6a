return { { kernel = "k", grid = ceil_div(H * W // 4, 256), block = 256 } }
