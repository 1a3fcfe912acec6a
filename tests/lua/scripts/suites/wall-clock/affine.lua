-- A task that needs no torch. Each draw writes another program, so that each answer is built and judged by itself.
return {
  name = "affine",
  statement = "o[i] = 2 a[i] + 1.",
  spec = "affine {N}",
  inputs = { { name = "a", shape = { "N" } } },
  outputs = { { name = "o", shape = { "N" } } },
  shapes = { { N = 2048 } },
  hidden = { { N = 7 } },
  reference = function(a) return array.map(function(x) return 2 * x + 1 end, a) end,
  template = function(draw)
    return ([[
extern "C" void k(const float* a, float* o, long N) {
    const long number = %d;
    for (long i = 0; i < N; ++i) o[i] = number ? 2 * a[i] + 1 : 0;
}
]]):format(1 + draw:below(1000000))
  end,
}
