-- Another task that is called like one of the suite "fake".
return {
  name = "square",
  statement = "o[i] = 2 a[i] + b[i].",
  spec = "square {N}",
  inputs = { { name = "a", shape = { "N" } }, { name = "b", shape = { "N" } } },
  outputs = { { name = "o", shape = { "N" } } },
  shapes = { { N = 300 } },
  hidden = { { N = 37 } },
  verifier = "fake", device = { op = "axpy", code = 3, best = { 1, 4 }, seconds = 1e-4, reference = 2e-4 },
  reference = function(a, b) return array.map(function(x, y) return 2 * x + y end, a, b) end,
}
