-- refused: not-finite. Half of the inputs have no logarithm.
return {
    name = "logarithm_of_negative",
    statement = "o = log(a).",
    spec = "logarithm_of_negative",
    inputs = { { name = "a", shape = { "N" } } },
    outputs = { { name = "o", shape = { "N" } } },
    shapes = { { N = 1024 } },
    reference = function(a) return torch.log(a) end,
}
