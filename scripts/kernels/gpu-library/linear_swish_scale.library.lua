-- cuBLAS multiplies and adds the bias; one kernel applies the swish where the sums lie.
return {
    { torch = "linear", args = { "a", "w", "c" }, out = "o" },
    { kernel = "swish", grid = ceil_div(M * N, 1024), block = 256, args = { "o", M * N // 4 } },
}
