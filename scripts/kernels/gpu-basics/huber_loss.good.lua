local parts = min(8 * device.multiprocessors, ceil_div(N, 1024))
return {
    workspaces = { partial = 4 * parts },
    { kernel = "part", grid = { parts, 1, 1 }, block = 256, args = { "a", "b", "partial", N } },
    { kernel = "mean", grid = { 1, 1, 1 }, block = 1024, args = { "partial", "o", parts, N } },
}
