return { { kernel = "k", grid = 2 * R, block = 256, cluster = 2 } }
