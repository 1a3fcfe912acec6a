-- 16 columns a thread
return { { kernel = "k", grid = { R, 1, 1 }, block = round_up(ceil_div(C, 16), 32) } }
