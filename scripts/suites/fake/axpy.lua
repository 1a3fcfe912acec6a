-- Tasks of the fake device (plugins/testing): programs are a few integers, costs are formulas, time is virtual.
return {
  name = "axpy",
  statement = "o[i] = 2 a[i] + b[i].",
  spec = "axpy {N}",
  inputs = { { name = "a", shape = { "N" } }, { name = "b", shape = { "N" } } },
  outputs = { { name = "o", shape = { "N" } } },
  shapes = { { N = 256 }, { N = 512, role = "held-out" } },
  hidden = { { N = 1 }, { N = 37 } },
  bytes = "12*N",
  verifier = "fake", device = { op = "axpy", code = 3, best = { 1, 4 }, seconds = 1e-4, reference = 2e-4 },
  reference = function(a, b) return array.map(function(x, y) return 2 * x + y end, a, b) end,
  template = function(draw)
    return draw:pick { "3", "3", "3", "5" } .. " " .. draw:below(10) .. " " .. draw:below(10)
  end,
}
