-- refused: distributions. Strict inputs are verified as declared and in no other way: a bound that nobody ever meets is never asked.
return {
    name = "one_distribution",
    statement = "o[r,c] = sqrt(a[r,c]), of numbers that are never negative.",
    spec = "one_distribution",
    inputs = { { name = "a", shape = { "R", "C" }, law = "uniform(2,2)", strict = true } },
    outputs = { { name = "o", shape = { "R", "C" } } },
    terms = 1,
    shapes = { { R = 64, C = 32 } },
    reference = function(a) return torch.sqrt(a) end,
}
