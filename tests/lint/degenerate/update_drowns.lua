-- refused: alias. What an output in place begins as is within the tolerance, so nothing need be written.
return {
    name = "update_drowns",
    statement = "y = y + 1e-9 x, in place.",
    spec = "update_drowns",
    inputs = { { name = "x", shape = { "N" } }, { name = "y0", shape = { "N" } } },
    outputs = { { name = "y", shape = { "N" }, starts_as = "y0" } },
    shapes = { { N = 4096 } },
    reference = function(x, y0) return y0 + torch.mul(x, 1e-9) end,
}
