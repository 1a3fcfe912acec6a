-- accepted. Whole numbers out.
return {
    name = "largest_index",
    statement = "Index of the largest element of each row of a (the first of equals).",
    spec = "largest_index",
    inputs = { { name = "a", shape = { "R", "C" } } },
    outputs = { { name = "o", dtype = "i64", shape = { "R" } } },
    shapes = { { R = 64, C = 96 } },
    reference = function(a) return torch.argmax(a, 1) end,
}
