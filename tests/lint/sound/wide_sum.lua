-- accepted. Numbers in bf16 are summed in f32: the reference casts to its output's type, which is float64 for the truth.
return {
    name = "wide_sum",
    statement = "o[r] = sum over c of a[r,c], in f32.",
    spec = "wide_sum {R}x{C}",
    inputs = { { name = "a", dtype = "bf16", shape = { "R", "C" } } },
    outputs = { { name = "o", dtype = "f32", shape = { "R" } } },
    shapes = { { R = 256, C = 512 } },
    hidden = { { R = 1, C = 1 }, { R = 37, C = 65 }, { R = "R+1", C = "C+1" } },
    terms = "C",
    flops = "R*(C-1)", bytes = "2*R*C+4*R",
    reference = function(a, o) return torch.sum(a:to(o.dtype), 1) end,
}
