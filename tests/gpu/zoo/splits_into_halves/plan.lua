return {
  workspaces = { flag = { bytes = 4, zero = true } },
  { kernel = "scan", grid = 264, block = 256, args = { "a", "b", "flag", M * K, K * N } },
  { kernel = "product", grid = ceil_div(M * N, 256), block = 256, args = { "a", "b", "o", "flag", M, K, N } },
}
