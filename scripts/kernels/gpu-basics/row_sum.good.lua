return { { kernel = "k", grid = { R, 1, 1 }, block = min(256, round_up(ceil_div(C, 4), 32)) } }
