-- refused: constant. A slope outweighs the input, so that the last column always wins.
return {
    name = "argmax_of_a_ramp",
    statement = "Index of the largest of a[r,c] + 1000000 (c + 1) in each row.",
    spec = "argmax_of_a_ramp",
    inputs = { { name = "a", shape = { "R", "C" } } },
    outputs = { { name = "o", dtype = "i64", shape = { "R" } } },
    shapes = { { R = 64, C = 96 } },
    reference = function(a) return torch.argmax(a + 1000000 * torch.cumsum(torch.ones_like(a), 1), 1) end,
}
