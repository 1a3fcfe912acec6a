return {
  name = "matmul",
  statement = "o = a b.",
  spec = "matmul {M}x{K}x{N}",
  inputs = { { name = "a", shape = { "M", "K" } }, { name = "b", shape = { "K", "N" } } },
  outputs = { { name = "o", shape = { "M", "N" } } },
  shapes = { { M = 8, K = 16, N = 8 } },
  hidden = { { M = 3, K = 5, N = 2 } },
  verifier = "fake", device = { op = "matmul", code = 9, best = { 6, 3 }, seconds = 3e-4, reference = 2e-4 },
  reference = function(a, b) return array.matmul(a, b) end,
  template = function(draw)
    return draw:pick { "9", "9", "9", "2" } .. " " .. draw:below(10) .. " " .. draw:below(10)
  end,
}
