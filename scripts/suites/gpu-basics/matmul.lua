-- Products of matrices in f32: the general one, batches of it, and cases whose structure a program may use. Rows start at 16 bytes.
local hidden = { { M = 1, K = 4, N = 4 }, { M = 37, K = 52, N = 140 }, { M = "M+1", K = "K+4", N = "N+4" } }
local least = { flops = "M*N*(2*K-1)", bytes = "4*(M*K+K*N+M*N)" }

return {
    {
        name = "matmul",
        statement = "Matrix product: o[m,n] = sum_k a[m,k]*b[k,n].",
        spec = "matmul {M}x{K}x{N}",
        inputs = { { name = "a", shape = { "M", "K" } }, { name = "b", shape = { "K", "N" } } },
        outputs = { { name = "o", shape = { "M", "N" } } },
        shapes = {
            { M = 2048, K = 2048, N = 2048 }, { M = 1024, K = 1024, N = 2048, role = "auxiliary" },
            { M = 4096, K = 512, N = 2048, role = "held-out" },
        },
        hidden = hidden, multiples = { K = 4, N = 4 }, flops = least.flops, bytes = least.bytes,
        reference = function(a, b) return torch.matmul(a, b) end,
    },
    {
        name = "matmul_transposed",
        statement = "Product with the transpose of a: o[m,n] = sum_k a[k,m]*b[k,n].",
        spec = "matmul_transposed {K}x{M}x{N}",
        inputs = { { name = "a", shape = { "K", "M" } }, { name = "b", shape = { "K", "N" } } },
        outputs = { { name = "o", shape = { "M", "N" } } },
        shapes = {
            { K = 2048, M = 2048, N = 2048 }, { K = 1024, M = 1024, N = 2048, role = "auxiliary" },
            { K = 512, M = 4096, N = 2048, role = "held-out" },
        },
        hidden = { { K = 1, M = 4, N = 4 }, { K = 37, M = 52, N = 140 }, { K = "K+1", M = "M+4", N = "N+4" } },
        multiples = { M = 4, N = 4 }, flops = least.flops, bytes = least.bytes,
        reference = function(a, b) return torch.matmul(torch.t(a), b) end,
    },
    {
        name = "tall_skinny_matmul",
        statement = "Product of a tall matrix and a narrow one: o[m,n] = sum_k a[m,k]*b[k,n].",
        spec = "tall_skinny_matmul {M}x{K}x{N}",
        inputs = { { name = "a", shape = { "M", "K" } }, { name = "b", shape = { "K", "N" } } },
        outputs = { { name = "o", shape = { "M", "N" } } },
        shapes = {
            { M = 65536, K = 256, N = 32 }, { M = 131072, K = 128, N = 32, role = "auxiliary" }, { M = 65536, K = 512, N = 16, role = "held-out" },
        },
        hidden = { { M = 1, K = 4, N = 4 }, { M = 139, K = 36, N = 44 }, { M = "M+1", K = "K+4", N = "N+4" } },
        multiples = { K = 4, N = 4 }, flops = least.flops, bytes = least.bytes,
        reference = function(a, b) return torch.matmul(a, b) end,
    },
    {
        name = "tril_matmul",
        statement = "Lower triangle of a times b: o[m,n] = sum_{k<=m} a[m,k]*b[k,n]. What lies above the diagonal of a counts as zero.",
        spec = "tril_matmul {M}x{N}",
        inputs = { { name = "a", shape = { "M", "M" } }, { name = "b", shape = { "M", "N" } } },
        outputs = { { name = "o", shape = { "M", "N" } } },
        shapes = {
            { M = 2048, N = 2048 }, { M = 1024, N = 4096, role = "auxiliary" }, { M = 4096, N = 1024, role = "held-out" },
        },
        hidden = { { M = 4, N = 4 }, { M = 300, N = 140 }, { M = "M+4", N = "N+4" } },
        special = { without = { "nan", "inf" }, because = "whether the zeros of a take part in a sum is open" },
        multiples = { M = 4, N = 4 }, flops = "M*M*N", bytes = "4*(M*M/2+2*M*N)",
        reference = function(a, b) return torch.matmul(torch.tril(a), b) end,
    },
    {
        name = "matvec",
        statement = "Matrix times vector: o[r] = sum_c a[r,c]*b[c].",
        spec = "matvec {R}x{C}",
        inputs = { { name = "a", shape = { "R", "C" } }, { name = "b", shape = { "C" } } },
        outputs = { { name = "o", shape = { "R" } } },
        shapes = {
            { R = 16384, C = 2048 }, { R = 4096, C = 8192, role = "auxiliary" }, { R = 32768, C = 1024, role = "held-out" },
        },
        hidden = { { R = 1, C = 4 }, { R = 37, C = 1364 }, { R = "R+1", C = "C+4" } },
        multiples = { C = 4 }, flops = "R*(2*C-1)", bytes = "4*(R*C+R+C)",
        reference = function(a, b) return torch.mv(a, b) end,
    },
    {
        name = "batched_matmul",
        statement = "B products of matrices: o[b,m,n] = sum_k a[b,m,k]*b[b,k,n].",
        spec = "batched_matmul {B}x{M}x{K}x{N}",
        inputs = { { name = "a", shape = { "B", "M", "K" } }, { name = "b", shape = { "B", "K", "N" } } },
        outputs = { { name = "o", shape = { "B", "M", "N" } } },
        shapes = {
            { B = 64, M = 256, K = 512, N = 256 }, { B = 16, M = 512, K = 256, N = 512, role = "auxiliary" },
            { B = 256, M = 128, K = 256, N = 128, role = "held-out" },
        },
        hidden = { { B = 1, M = 1, K = 4, N = 4 }, { B = 3, M = 37, K = 52, N = 140 }, { B = "B+1", M = "M+1", K = "K+4", N = "N+4" } },
        multiples = { K = 4, N = 4 }, flops = "B*M*N*(2*K-1)", bytes = "4*B*(M*K+K*N+M*N)",
        reference = function(a, b) return torch.bmm(a, b) end,
    },
    {
        name = "strided_batched",
        statement = "B products with the transpose of the second matrix: o[b,m,n] = sum_k a[b,m,k]*b[b,n,k].",
        spec = "strided_batched {B}x{M}x{K}x{N}",
        inputs = { { name = "a", shape = { "B", "M", "K" } }, { name = "b", shape = { "B", "N", "K" } } },
        outputs = { { name = "o", shape = { "B", "M", "N" } } },
        shapes = {
            { B = 64, M = 256, K = 512, N = 256 }, { B = 16, M = 512, K = 256, N = 512, role = "auxiliary" },
            { B = 256, M = 128, K = 256, N = 128, role = "held-out" },
        },
        hidden = { { B = 1, M = 1, K = 4, N = 4 }, { B = 3, M = 37, K = 52, N = 140 }, { B = "B+1", M = "M+1", K = "K+4", N = "N+4" } },
        multiples = { K = 4, N = 4 }, flops = "B*M*N*(2*K-1)", bytes = "4*B*(M*K+K*N+M*N)",
        reference = function(a, b) return torch.bmm(a, torch.transpose(b, 1, 2)) end,
    },
}
