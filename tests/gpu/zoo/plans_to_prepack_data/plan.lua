return {
    workspaces = { answer = 4 * M * N },
    prepack = { { kernel = "k", grid = ceil_div(M * N, 256), block = 256, args = { "a", "b", "answer", M, K, N } } },
    { copy = "o", from = "answer" },
}
