-- First tasks for the GPU: memory-bound, one thread an element. The timed size moves some 50 MB, so that a
-- kernel lasts more than ten times the clock's scatter of about 1 us.
return {
    {
        name = "axpy",
        statement = "Scaled sum of two vectors: o[i] = 2.5 * a[i] + b[i].",
        spec = "axpy {N}",
        inputs = { { name = "a", shape = { "N" }, law = "normal" }, { name = "b", shape = { "N" }, law = "normal" } },
        outputs = { { name = "o", shape = { "N" } } },
        shapes = { { N = 4194304 } },
        hidden = { { N = 1000 }, { N = 262147 } },
        flops = "2*N", bytes = "12*N",
        reference = function(a, b) return torch.add(b, a, { alpha = 2.5 }) end,
    },
    {
        name = "gated",
        statement = "Gated sum: o[i] = a[i] * sigmoid(a[i]) * b[i] + c[i].",
        spec = "gated {N}",
        inputs = {
            { name = "a", shape = { "N" }, law = "normal(2)" }, { name = "b", shape = { "N" }, law = "normal" }, { name = "c", shape = { "N" }, law = "normal" },
        },
        outputs = { { name = "o", shape = { "N" } } },
        shapes = { { N = 4194304 } },
        hidden = { { N = 1000 }, { N = 262147 } },
        integers = false,
        flops = "6*N", bytes = "16*N",
        reference = function(a, b, c) return F.silu(a) * b + c end,
    },
}
