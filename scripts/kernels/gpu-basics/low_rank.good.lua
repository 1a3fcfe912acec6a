-- the larger of three slices and two chunks of v, and 64 rows of a u
return { { kernel = "k", grid = ceil_div(M, 64), block = 256, shared = 4 * (max(3 * (64 * 36 + 32 * 64), 2 * 64 * 128) + 64 * 68) } }
