return { { kernel = "k", grid = { ceil_div(C, 32), 1, 1 }, block = { 32, 16, 1 } } }
