return {
    { set = "o", word = 0 },
    { kernel = "for_show", grid = 1, block = 32 },
}
