-- refused: hidden. Its ranges allow no other size, so that a kernel may be wired to the timed one.
return {
  name = "one_shape_alone",
  statement = "Twice each element: o[i] = 2 a[i].",
  spec = "double {N}",
  inputs = { { name = "a", shape = { "N" } } },
  outputs = { { name = "o", shape = { "N" } } },
  shapes = { { N = 4096 } },
  ranges = { N = { 4096, 4096 } },
  terms = 1,
  reference = function(a) return array.map(function(x) return 2 * x end, a) end,
}
