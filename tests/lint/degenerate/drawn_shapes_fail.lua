-- refused: ranges. The definition takes even C alone, and the judge draws others.
return {
    name = "drawn_shapes_fail",
    statement = "o[r] = sum of the products of the row's first and second half.",
    spec = "drawn_shapes_fail",
    inputs = { { name = "a", shape = { "R", "C" } } },
    outputs = { { name = "o", shape = { "R" } } },
    shapes = { { R = 64, C = 32 } },
    reference = function(a)
        local parts = torch.reshape(a, { a.shape[1], 2, a.shape[2] // 2 })
        return torch.sum(torch.prod(parts, 1), 1)
    end,
}
