-- The same without prepacking: the weights are normalised in each call.
return {
    workspaces = { packed = 4 * K * N },
    { kernel = "pack", grid = ceil_div(N, 8), block = 256, args = { "v", "g", "packed", K, N } },
    { kernel = "k", grid = { ceil_div(N, 128), ceil_div(M, 128) }, block = 256, args = { "a", "packed", "c", "o", M, K, N } },
}
