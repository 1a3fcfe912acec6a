return { { kernel = "k", grid = 1 << 20, block = 256, cooperative = true } }
