local parts = 4
return {
    workspaces = { partial = 4 * R * parts },
    { kernel = "pieces", grid = { parts, R }, block = 32, args = { "a", "partial", C, int(parts) } },
    { kernel = "rows", grid = ceil_div(R, 256), block = 256, args = { "partial", "o", R, int(parts) } },
}
