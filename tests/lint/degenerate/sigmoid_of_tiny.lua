-- refused: narrow. A softmax over many columns is tiny, and its sigmoid one half (KernelBench level 2, 49).
return {
    name = "sigmoid_of_tiny",
    statement = "Sigmoid of the softmax of each row of a.",
    spec = "sigmoid_of_tiny",
    inputs = { { name = "a", shape = { "R", "C" }, law = "uniform(0.5,0.5)", strict = true } },
    outputs = { { name = "o", shape = { "R", "C" } } },
    shapes = { { R = 2, C = 65536 } },
    reference = function(a) return torch.sigmoid(torch.softmax(a, 1)) end,
}
