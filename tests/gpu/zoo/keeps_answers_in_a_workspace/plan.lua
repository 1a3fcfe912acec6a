return {
    workspaces = { answer = 4 * M * N, mark = 256 },
    { kernel = "work", grid = ceil_div(M * N, 256), block = 256, args = { "a", "b", "o", "answer", "mark", M, K, N } },
    { kernel = "remember", grid = 1, block = 64, args = { "a", "b", "mark", M, N } },
}
