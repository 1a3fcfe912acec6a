-- refused: insensitive. Only the first half of each row is summed.
return {
    name = "second_half_unread",
    statement = "o[r] = sum of a[r,c] over the first half of the columns.",
    spec = "second_half_unread",
    inputs = { { name = "a", shape = { "R", "C" } } },
    outputs = { { name = "o", shape = { "R" } } },
    shapes = { { R = 64, C = 96 } },
    reference = function(a) return torch.sum(torch.narrow(a, 1, 0, a.shape[2] // 2), 1) end,
}
