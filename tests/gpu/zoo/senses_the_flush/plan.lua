return { { kernel = "k", grid = 1056, block = 256, args = { "a", "b", "o", N } } }
