return {
    { kernel = "scaled", grid = ceil_div(N, 256), block = 256, args = { struct { "a", "b", int(N), float(2.5), "o" } } },
}
