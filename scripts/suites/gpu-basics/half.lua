-- Products of narrow floats with sums in f32: what tensor cores are for, whose tiles of 16x16 fit.
local hidden = { { M = 16, K = 16, N = 16 }, { M = 144, K = 112, N = 208 }, { M = "M+16", K = "K+16", N = "N+16" } }
local multiples = { M = 16, K = 16, N = 16 }

local function product(name, dtype, statement)
    return {
        name = name,
        statement = statement,
        spec = name .. " {M}x{K}x{N}",
        inputs = {
            { name = "a", dtype = dtype, shape = { "M", "K" }, law = "normal(0.5)" },
            { name = "b", dtype = dtype, shape = { "K", "N" }, law = "normal(0.5)" },
        },
        outputs = { { name = "o", dtype = dtype, shape = { "M", "N" } } },
        shapes = {
            { M = 4096, K = 4096, N = 4096 }, { M = 2048, K = 4096, N = 4096, role = "auxiliary" },
            { M = 8192, K = 1024, N = 4096, role = "held-out" },
        },
        hidden = hidden, multiples = multiples, tolerance = dtype, flops = "M*N*(2*K-1)", bytes = "2*(M*K+K*N+M*N)",
        reference = function(a, b) return torch.matmul(a, b) end,
    }
end

return {
    product("matmul_half", "f16", "Matrix product of f16: o[m,n] = sum_k a[m,k]*b[k,n], summed in f32 and rounded once."),
    product("matmul_bf16", "bf16", "Matrix product of bf16: o[m,n] = sum_k a[m,k]*b[k,n], summed in f32 and rounded once."),
    {
        name = "matmul_gelu_half",
        statement = "Matrix product of f16 with bias and gelu: o[m,n] = gelu(sum_k a[m,k]*b[k,n] + c[n]), summed in f32; gelu is the tanh "
            .. "approximation.",
        spec = "matmul_gelu_half {M}x{K}x{N}",
        inputs = {
            { name = "a", dtype = "f16", shape = { "M", "K" }, law = "normal(0.2)" },
            { name = "b", dtype = "f16", shape = { "K", "N" }, law = "normal(0.2)" }, { name = "c", dtype = "f16", shape = { "N" } },
        },
        outputs = { { name = "o", dtype = "f16", shape = { "M", "N" } } },
        shapes = {
            { M = 4096, K = 1024, N = 4096 }, { M = 2048, K = 2048, N = 4096, role = "auxiliary" },
            { M = 8192, K = 512, N = 4096, role = "held-out" },
        },
        hidden = hidden, multiples = multiples, tolerance = "f16", flops = "M*N*(2*K+1)", bytes = "2*(M*K+K*N+M*N+N)",
        reference = function(a, b, c) return torch.gelu(torch.addmm(c, a, b), { approximate = "tanh" }) end,
    },
}
