-- accepted. One number by value, one that never changes, and an output that begins as an input.
return {
    name = "update_in_place",
    statement = "y = s x / (|x| + eps) + y, in place.",
    spec = "update_in_place {R}x{C}",
    inputs = {
        { name = "x", shape = { "R", "C" } },
        { name = "s", scalar = true, law = "uniform(0.5,1)" },
        { name = "eps", scalar = true, law = "value(0.5)" },
        { name = "y0", shape = { "R", "C" } },
    },
    outputs = { { name = "y", shape = { "R", "C" }, starts_as = "y0" } },
    shapes = { { R = 64, C = 128 } },
    hidden = { { R = 1, C = 1 }, { R = 37, C = 65 }, { R = "R+1", C = "C+1" } },
    terms = 1,
    flops = "4*R*C", bytes = "12*R*C",
    special = { without = { "inf", "nan" }, because = "inf / inf" },
    reference = function(x, s, eps, y0)
        if torch then return s * x / (torch.abs(x) + eps) + y0 end
        return array.map(function(a, b) return s * a / (math.abs(a) + eps) + b end, x, y0)
    end,
}
