-- refused: reference. The reference returns another shape than it declares.
return {
    name = "wrong_shape",
    statement = "Sum of each row of a.",
    spec = "wrong_shape",
    inputs = { { name = "a", shape = { "R", "C" } } },
    outputs = { { name = "o", shape = { "R", "C" } } },
    shapes = { { R = 64, C = 96 } },
    reference = function(a) return torch.sum(a, 1) end,
}
