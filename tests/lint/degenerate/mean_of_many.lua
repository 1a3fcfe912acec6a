-- refused: constant. The mean of very many numbers of one law is the mean of the law, to within a coarse tolerance (KernelBench L1, 48).
return {
    name = "mean_of_many",
    statement = "o = mean(a).",
    spec = "mean_of_many",
    inputs = { { name = "a", shape = { "N" }, law = "uniform(0.5,0.5)", strict = true } },
    outputs = { { name = "o", shape = {  } } },
    shapes = { { N = 262144 } },
    tolerance = "bf16",
    reference = function(a) return torch.mean(a) end,
}
