-- cuBLAS multiplies and adds the bias; one kernel applies the gelu where the sums lie.
return {
    { torch = "addmm", args = { "c", "a", "b" }, out = "o" },
    { kernel = "gelu", grid = ceil_div(M * N, 2048), block = 256, args = { "o", M * N // 8 } },
}
