return { { kernel = "k", grid = ceil_div(C * ceil_div(H, 8) * W // 4, 256), block = 256 } }
