return {
    workspaces = { seen = 4 },
    { kernel = "k", grid = ceil_div(N, 256), block = 256, args = { "a", "b", "o", "seen", N } },
    { kernel = "mark", grid = 1, block = 1, args = { "seen" } },
}
