-- 16 columns a thread; longer rows take turns of 4096
return { { kernel = "k", grid = { R, 1, 1 }, block = min(256, round_up(ceil_div(C, 16), 32)) } }
