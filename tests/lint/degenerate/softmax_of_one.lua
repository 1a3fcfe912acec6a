-- refused: constant. The softmax over one column is 1.
return {
    name = "softmax_of_one",
    statement = "Softmax over each row of a, which has one column.",
    spec = "softmax_of_one",
    inputs = { { name = "a", shape = { "R", 1 } } },
    outputs = { { name = "o", shape = { "R", 1 } } },
    shapes = { { R = 4096 } },
    reference = function(a) return torch.softmax(a, 1) end,
}
