-- Rounding and saturation are the whole work: a conversion in C does neither.
return {
    name = "quantised",
    statement = "a, rounded to the nearest whole number (halves to even) and held to -128 .. 127.",
    spec = "quantised",
    inputs = { { name = "a", shape = { "N" }, law = "normal(30)" } },
    outputs = { { name = "o", shape = { "N" }, dtype = "i8" } },
    shapes = { { N = 16384 } },
    reference = function(a, o) return torch.clamp(torch.round(a), -128, 127):to(o.dtype) end,
}
