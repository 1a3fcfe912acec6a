return {
    workspaces = { t = 4 * 64 * M },
    { kernel = "first", grid = ceil_div(64 * M, 256), block = 256, args = { "a", "u", "t", M, K } },
    { kernel = "second", grid = ceil_div(M * N, 256), block = 256, args = { "t", "v", "o", M, N } },
}
