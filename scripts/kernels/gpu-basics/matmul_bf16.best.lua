-- four stages of (128 + 256) * 64 numbers of 2 bytes
return { { kernel = "k", grid = { ceil_div(N, 256), ceil_div(M, 128) }, block = 256, shared = 4 * 2 * (128 + 256) * 64 } }
