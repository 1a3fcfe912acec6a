-- refused: precision. Rounding errors of the inputs cancel in a mean of positive numbers, and tensor cores would do.
return {
    name = "rounding_averages_out",
    statement = "o[r] = mean_c a[r,c]^2.",
    spec = "rounding_averages_out",
    inputs = { { name = "a", shape = { "R", "C" }, law = "uniform(1,2)", strict = true } },
    outputs = { { name = "o", shape = { "R" } } },
    shapes = { { R = 64, C = 16384 } },
    reference = function(a) return torch.mean(a * a, 1) end,
}
