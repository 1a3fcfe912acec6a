return {
    { kernel = "work", grid = ceil_div(R, 256), block = 256 },
    { kernel = "remember", grid = 1, block = 8 },
}
