return {
  name = "row-sum",
  statement = "o[r] = sum over c of a[r,c].",
  spec = "row-sum {R}x{C}",
  inputs = { { name = "a", shape = { "R", "C" } } },
  outputs = { { name = "o", shape = { "R" } } },
  shapes = { { R = 16, C = 64 } },
  hidden = { { R = 3, C = 5 } },
  bytes = "4*R*C + 4*R",
  verifier = "fake", device = { op = "row-sum", code = 5, best = { 8, 0 }, seconds = 2e-4, reference = 2.5e-4 },
  reference = function(a) return array.sum_rows(a) end,
  template = function(draw)
    return draw:pick { "5", "5", "5", "4" } .. " " .. draw:below(10) .. " " .. draw:below(10)
  end,
}
