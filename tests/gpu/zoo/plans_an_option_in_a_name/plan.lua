return {
    defines = { TILE = "1\n--include-path=/etc" },
    { kernel = "k", grid = ceil_div(N, 256), block = 256 },
}
