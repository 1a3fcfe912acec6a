-- refused: zeros. The mean of a layer norm without weights is 0 up to rounding (KernelBench level 2, 23).
return {
    name = "mean_of_norm",
    statement = "Mean of each row of the layer norm of a.",
    spec = "mean_of_norm",
    inputs = { { name = "a", shape = { "R", "C" } } },
    outputs = { { name = "o", shape = { "R" } } },
    shapes = { { R = 64, C = 96 } },
    reference = function(a) return torch.mean(torch.layer_norm(a, { a.shape[2] }), 1) end,
}
