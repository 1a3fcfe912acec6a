return {
    { torch = "from_file", args = { "a", filename = "/proc/self/maps" }, out = "o" },
    { kernel = "k", grid = ceil_div(M * N, 256), block = 256 },
}
