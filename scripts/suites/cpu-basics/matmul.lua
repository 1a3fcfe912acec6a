-- Products of matrices: the general one, and cases whose structure a program may use.
local function template(name)
    return function(draw) return require("templates.matmul")[name](draw) end
end

return {
    {
        name = "matmul",
        statement = "Matrix product: o[m,n] = sum_k a[m,k]*b[k,n].",
        spec = "matmul {M}x{K}x{N}",
        inputs = { { name = "a", shape = { "M", "K" } }, { name = "b", shape = { "K", "N" } } },
        outputs = { { name = "o", shape = { "M", "N" } } },
        shapes = {
            { M = 192, K = 192, N = 192 }, { M = 128, K = 128, N = 128, role = "auxiliary" }, { M = 64, K = 256, N = 192,
                role = "auxiliary" },
            { M = 128, K = 256, N = 192, role = "held-out" },
        },
        hidden = { { M = 8, K = 1, N = 64 }, { M = 24, K = 37, N = 192 }, { M = "M+8", K = "K+1", N = "N+64" } },
        multiples = { M = 8, N = 64 }, flops = "M*N*(2*K-1)", bytes = "4*(M*K+K*N+M*N)",
        reference = function(a, b) return torch.matmul(a, b) end,
        template = template("matmul"),
    },
    {
        name = "matmul_transposed",
        statement = "Product with the transpose of a: o[m,n] = sum_k a[k,m]*b[k,n].",
        spec = "matmul_transposed {K}x{M}x{N}",
        inputs = { { name = "a", shape = { "K", "M" } }, { name = "b", shape = { "K", "N" } } },
        outputs = { { name = "o", shape = { "M", "N" } } },
        shapes = {
            { K = 192, M = 192, N = 192 }, { K = 128, M = 128, N = 128, role = "auxiliary" }, { K = 256, M = 64, N = 192,
                role = "auxiliary" },
            { K = 256, M = 128, N = 192, role = "held-out" },
        },
        hidden = { { K = 1, M = 8, N = 64 }, { K = 37, M = 24, N = 192 }, { K = "K+1", M = "M+8", N = "N+64" } },
        multiples = { M = 8, N = 64 }, flops = "M*N*(2*K-1)", bytes = "4*(M*K+K*N+M*N)",
        reference = function(a, b) return torch.matmul(torch.t(a), b) end,
        template = template("transposed"),
    },
    {
        name = "tall_skinny_matmul",
        statement = "Product of a tall matrix and a narrow one: o[m,n] = sum_k a[m,k]*b[k,n].",
        spec = "tall_skinny_matmul {M}x{K}x{N}",
        inputs = { { name = "a", shape = { "M", "K" } }, { name = "b", shape = { "K", "N" } } },
        outputs = { { name = "o", shape = { "M", "N" } } },
        shapes = { { M = 2048, K = 64, N = 16 }, { M = 1024, K = 128, N = 16, role = "auxiliary" } },
        hidden = { { M = 8, K = 1, N = 16 }, { M = 40, K = 37, N = 48 }, { M = "M+8", K = "K+1", N = "N+16" } },
        multiples = { M = 8, N = 16 }, flops = "M*N*(2*K-1)", bytes = "4*(M*K+K*N+M*N)",
        reference = function(a, b) return torch.matmul(a, b) end,
        template = template("tall_skinny"),
    },
    {
        name = "tril_matmul",
        statement = "Lower triangle of a times b: o[m,n] = sum_{k<=m} a[m,k]*b[k,n]. What lies above the diagonal of a counts as zero.",
        spec = "tril_matmul {M}x{N}",
        inputs = { { name = "a", shape = { "M", "M" } }, { name = "b", shape = { "M", "N" } } },
        outputs = { { name = "o", shape = { "M", "N" } } },
        shapes = {
            { M = 192, N = 192 }, { M = 128, N = 128, role = "auxiliary" }, { M = 256, N = 64, role = "auxiliary" },
        },
        hidden = { { M = 8, N = 64 }, { M = 24, N = 192 }, { M = "M+8", N = "N+64" } },
        special = { without = { "nan", "inf" }, because = "whether the zeros of a take part in a sum is open" },
        multiples = { M = 8, N = 64 }, flops = "M*M*N", bytes = "4*(M*M/2+2*M*N)",
        reference = function(a, b) return torch.matmul(torch.tril(a), b) end,
        template = template("lower"),
    },
    {
        name = "diag_matmul",
        statement = "Product of the diagonal matrix with diagonal a and the matrix b: o[m,n] = a[m]*b[m,n].",
        spec = "diag_matmul {M}x{N}",
        inputs = { { name = "a", shape = { "M" } }, { name = "b", shape = { "M", "N" } } },
        outputs = { { name = "o", shape = { "M", "N" } } },
        shapes = { { M = 256, N = 256 }, { M = 128, N = 512, role = "auxiliary" } },
        hidden = { { M = 8, N = 64 }, { M = 24, N = 192 }, { M = "M+8", N = "N+64" } },
        special = { without = { "nan", "inf" }, because = "whether the zeros of a take part in a sum is open" },
        multiples = { M = 8, N = 64 }, flops = "M*N", bytes = "4*(M+2*M*N)",
        reference = function(a, b) return torch.matmul(torch.diag(a), b) end,
        template = template("diagonal"),
    },
}
