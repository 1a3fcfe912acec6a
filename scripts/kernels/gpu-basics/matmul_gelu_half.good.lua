-- four stages of (128 * 40 + 32 * 136) numbers of 2 bytes
return { { kernel = "k", grid = { ceil_div(N, 128), ceil_div(M, 128) }, block = 256, shared = 4 * 2 * (128 * 40 + 32 * 136) } }
