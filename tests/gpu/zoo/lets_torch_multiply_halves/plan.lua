local function converted(to, from, n) return { kernel = "narrow", grid = ceil_div(n, 256), block = 256, args = { to, from, n } } end
return {
    workspaces = { x = { shape = { M, K }, type = "f16" }, y = { shape = { K, N }, type = "f16" }, z = { shape = { M, N }, type = "f16" } },
    converted("x", "a", M * K),
    converted("y", "b", K * N),
    { torch = "matmul", args = { "x", "y" }, out = "z" },
    { kernel = "widen", grid = ceil_div(M * N, 256), block = 256, args = { "o", "z", M * N } },
}
