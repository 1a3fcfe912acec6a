return {
    workspaces = { answer = { shape = { M, N } } },
    prepack = { { torch = "matmul", args = { "a", "b" }, out = "answer" } },
    { copy = "o", from = "answer" },
}
