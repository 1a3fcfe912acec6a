-- refused: ignored. As mean_of_many; the weight varies, the mean does not.
return {
    name = "weighted_mean_of_many",
    statement = "o[r] = b[r] mean_c a[r,c].",
    spec = "weighted_mean_of_many",
    inputs = { { name = "a", shape = { "R", "C" }, law = "uniform(0.5,0.5)", strict = true }, { name = "b", shape = { "R" } } },
    outputs = { { name = "o", shape = { "R" } } },
    shapes = { { R = 8, C = 32768 } },
    tolerance = "bf16",
    reference = function(a, b) return torch.mean(a, 1) * b end,
}
