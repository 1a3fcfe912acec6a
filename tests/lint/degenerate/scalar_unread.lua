-- refused: ignored. The number that a program gets by value has no effect.
return {
    name = "scalar_unread",
    statement = "o = 2 x + 1.",
    spec = "scalar_unread",
    inputs = { { name = "x", shape = { "N" } }, { name = "s", scalar = true } },
    outputs = { { name = "o", shape = { "N" } } },
    shapes = { { N = 4096 } },
    reference = function(x, s) return torch.mul(x, 2) + 1 end,
}
