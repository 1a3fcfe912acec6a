-- Products whose neighbours can ride along in f32: what would be a pass of its own over memory happens to sums still in registers.
return {
    {
        name = "matmul_bias_relu",
        statement = "Matrix product with bias and relu: o[m,n] = max(sum_k a[m,k]*b[k,n] + c[n], 0).",
        spec = "matmul_bias_relu {M}x{K}x{N}",
        inputs = { { name = "a", shape = { "M", "K" } }, { name = "b", shape = { "K", "N" } }, { name = "c", shape = { "N" } } },
        outputs = { { name = "o", shape = { "M", "N" } } },
        shapes = {
            { M = 4096, K = 256, N = 2048 }, { M = 2048, K = 512, N = 2048, role = "auxiliary" },
            { M = 8192, K = 128, N = 2048, role = "held-out" },
        },
        terms = "K",
        hidden = { { M = 1, K = 4, N = 4 }, { M = 37, K = 52, N = 140 }, { M = "M+1", K = "K+4", N = "N+4" } },
        special = { without = { "nan" }, because = "max(t, 0) may drop NaN" },
        multiples = { K = 4, N = 4 }, flops = "2*M*N*K", bytes = "4*(M*K+K*N+M*N+N)",
        template = function(draw) return require("templates.cuda.matmul").bias_relu(draw) end,
        reference = function(a, b, c) return torch.relu(torch.addmm(c, a, b)) end,
    },
    {
        name = "linear_swish_scale",
        statement = "A linear layer, its swish, doubled: with t = sum_k a[m,k]*w[n,k] + c[n], o[m,n] = 2*t*sigmoid(t).",
        spec = "linear_swish_scale {M}x{K}x{N}",
        inputs = {
            { name = "a", shape = { "M", "K" }, law = "normal(0.3)" }, { name = "w", shape = { "N", "K" }, law = "normal(0.3)" },
            { name = "c", shape = { "N" } },
        },
        outputs = { { name = "o", shape = { "M", "N" } } },
        shapes = {
            { M = 4096, K = 256, N = 2048 }, { M = 2048, K = 512, N = 2048, role = "auxiliary" },
            { M = 8192, K = 128, N = 2048, role = "held-out" },
        },
        terms = "K",
        hidden = { { M = 1, K = 4, N = 4 }, { M = 37, K = 52, N = 140 }, { M = "M+1", K = "K+4", N = "N+4" } },
        multiples = { K = 4, N = 4 }, flops = "M*N*(2*K+3)", bytes = "4*(M*K+K*N+M*N+N)",
        template = function(draw) return require("templates.cuda.matmul").linear_swish_scale(draw) end,
        reference = function(a, w, c) return torch.silu(torch.addmm(c, a, torch.t(w))) * 2 end,
    },
    {
        name = "weight_norm_linear",
        statement = "A linear layer with weight normalisation: o[m,n] = c[n] + g[n] * sum_k a[m,k]*v[n,k] / sqrt(sum_k v[n,k]^2). All but a are weights.",
        spec = "weight_norm_linear {M}x{K}x{N}",
        inputs = {
            { name = "a", shape = { "M", "K" } }, { name = "v", shape = { "N", "K" }, constant = true },
            { name = "g", shape = { "N" }, constant = true }, { name = "c", shape = { "N" }, constant = true },
        },
        outputs = { { name = "o", shape = { "M", "N" } } },
        shapes = {
            { M = 2048, K = 512, N = 2048 }, { M = 4096, K = 256, N = 2048, role = "auxiliary" },
            { M = 1024, K = 1024, N = 2048, role = "held-out" },
        },
        terms = "K",
        hidden = { { M = 1, K = 4, N = 4 }, { M = 37, K = 52, N = 140 }, { M = "M+1", K = "K+4", N = "N+4" } },
        special = { without = { "inf" }, because = "g may be taken into the sum, whose terms have both signs" },
        multiples = { K = 4, N = 4 }, flops = "2*M*N*K", bytes = "4*(M*K+K*N+M*N+2*N)",  -- that of preparing the weights is not of a call
        reference = function(a, v, g, c)
            return torch.addmm(c, a, torch.t(v * torch.unsqueeze(g / torch.sqrt(torch.sum(v * v, 1)), 1)))
        end,
    },
    {
        name = "low_rank",
        statement = "Product with a matrix of rank 64 given by its factors: o = (a u) v.",
        spec = "low_rank {M}x{K}x{N}",
        inputs = {
            { name = "a", shape = { "M", "K" } }, { name = "u", shape = { "K", 64 }, law = "normal(0.1)" },
            { name = "v", shape = { 64, "N" }, law = "normal(0.1)" },
        },
        outputs = { { name = "o", shape = { "M", "N" } } },
        shapes = {
            { M = 8192, K = 1024, N = 1024 }, { M = 4096, K = 2048, N = 1024, role = "auxiliary" },
            { M = 8192, K = 512, N = 2048, role = "held-out" },
        },
        terms = "K",
        hidden = { { M = 1, K = 4, N = 4 }, { M = 101, K = 52, N = 140 }, { M = "M+1", K = "K+4", N = "N+4" } },
        special = { without = { "nan", "inf" }, because = "which order of products is taken is open" },
        multiples = { K = 4, N = 4 }, flops = "128*M*(K+N)", bytes = "4*(M*K+64*(K+N)+M*N)",
        reference = function(a, u, v) return torch.matmul(torch.matmul(a, u), v) end,
    },
}
