return {
    { set = "a", word = 0 },
    { kernel = "k", grid = ceil_div(N, 256), block = 256 },
}
