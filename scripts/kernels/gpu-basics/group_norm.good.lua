-- 16 elements a thread
return { { kernel = "k", grid = { B * G, 1, 1 }, block = round_up(ceil_div(8 * S, 16), 32) } }
