-- refused: alias. A clamp whose bounds no input reaches.
return {
    name = "clamp_never_reached",
    statement = "a clamped to [-1e30, 1e30].",
    spec = "clamp_never_reached",
    inputs = { { name = "a", shape = { "R", "C" } } },
    outputs = { { name = "o", shape = { "R", "C" } } },
    shapes = { { R = 64, C = 96 } },
    reference = function(a) return torch.clamp(a, -1e30, 1e30) end,
}
