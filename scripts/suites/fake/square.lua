return {
  name = "square",
  statement = "o[i] = a[i] a[i].",
  spec = "square {N}",
  inputs = { { name = "a", shape = { "N" } } },
  outputs = { { name = "o", shape = { "N" } } },
  shapes = { { N = 300 } },
  hidden = { { N = 7 } },
  bytes = "8*N",
  verifier = "fake", device = { op = "square", code = 7, best = { 2, 2 }, seconds = 5e-5, reference = 8e-5 },
  reference = function(a) return array.map(function(x) return x * x end, a) end,
  template = function(draw)
    return draw:pick { "7", "7", "7", "1" } .. " " .. draw:below(10) .. " " .. draw:below(10)
  end,
}
