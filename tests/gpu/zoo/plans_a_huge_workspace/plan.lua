return {
    workspaces = { all = 1 << 37 },
    { kernel = "k", grid = ceil_div(N, 256), block = 256 },
}
