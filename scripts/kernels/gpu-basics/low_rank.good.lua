-- the larger of three slices and two chunks of v, and 64 rows of a u
return { { kernel = "k", grid = ceil_div(M, 64), block = 512, shared = 4 * (max(3 * (64 * 68 + 64 * 64), 2 * 64 * 256) + 64 * 68) } }
