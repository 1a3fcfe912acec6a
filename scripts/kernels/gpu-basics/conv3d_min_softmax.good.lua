return { { kernel = "k", grid = ceil_div(B * H * W // 4, 128), block = 256 } }
