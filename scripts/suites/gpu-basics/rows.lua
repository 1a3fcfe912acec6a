-- Element-wise work on matrices, whose rows share a bias, a gate's other half or an angle.
local hidden = { { R = 1, C = 1 }, { R = 37, C = 193 }, { R = "R+1", C = "C+1" } }
local weight = { name = "w", shape = { "C" }, law = "normal(0.5,1)" }

return {
    {
        name = "swiglu",
        statement = "SwiGLU: a row of a has a gate of C values, then C values: o[r,c] = silu(a[r,c])*a[r,C+c]; silu(t) = t*sigmoid(t).",
        spec = "swiglu {R}x{C}",
        inputs = { { name = "a", shape = { "R", "2*C" }, law = "normal(2)" } },
        outputs = { { name = "o", shape = { "R", "C" } } },
        shapes = { { R = 2048, C = 4096 }, { R = 4096, C = 2048, role = "auxiliary" }, { R = 1536, C = 5632, role = "held-out" } },
        terms = 1,
        hidden = hidden, flops = "5*R*C", bytes = "12*R*C",
        template = function(draw) return require("templates.cuda.matrices").swiglu(draw) end,
        reference = function(a)
            local half = a.shape[2] // 2
            return torch.silu(torch.narrow(a, 1, 0, half)) * torch.narrow(a, 1, half, half)
        end,
    },
    {
        name = "bias_gelu",
        statement = "Bias of each column and gelu (the tanh approximation): o[r,c] = gelu(a[r,c]+b[c]).",
        spec = "bias_gelu {R}x{C}",
        inputs = { { name = "a", shape = { "R", "C" }, law = "normal(2)" }, { name = "b", shape = { "C" } } },
        outputs = { { name = "o", shape = { "R", "C" } } },
        shapes = { { R = 3072, C = 4096 }, { R = 4096, C = 2048, role = "auxiliary" }, { R = 2048, C = 5120, role = "held-out" } },
        terms = 1,
        hidden = hidden, flops = "8*R*C", bytes = "8*R*C+4*C",
        template = function(draw) return require("templates.cuda.matrices").bias_gelu(draw) end,
        reference = function(a, b) return torch.gelu(a + b, { approximate = "tanh" }) end,
    },
    {
        name = "scale_shift_residual",
        statement = "Scale and shift of each column, relu, residual: o[r,c] = x[r,c]+relu(a[r,c]*w[c]+b[c]).",
        spec = "scale_shift_residual {R}x{C}",
        inputs = { { name = "a", shape = { "R", "C" } }, { name = "x", shape = { "R", "C" } }, weight, { name = "b", shape = { "C" } } },
        outputs = { { name = "o", shape = { "R", "C" } } },
        shapes = { { R = 2048, C = 4096 }, { R = 4096, C = 1024, role = "auxiliary" }, { R = 2048, C = 3072, role = "held-out" } },
        terms = 1,
        hidden = hidden, flops = "3*R*C", bytes = "12*R*C+8*C",
        special = { without = { "nan", "inf" }, because = "max(t, 0) may drop NaN, which infinities make with zeros" },
        template = function(draw) return require("templates.cuda.matrices").scale_shift_residual(draw) end,
        reference = function(a, x, w, b) return x + torch.relu(torch.addcmul(b, a, w)) end,
    },
    {
        name = "rope",
        statement = "Rotary position embedding of T positions and H heads of 2*D values, with angles' cosines c and sines s: "
            .. "o[t,h,d] = a[t,h,d]*c[t,d]-a[t,h,D+d]*s[t,d], o[t,h,D+d] = a[t,h,D+d]*c[t,d]+a[t,h,d]*s[t,d].",
        spec = "rope {T}x{H}x{D}",
        inputs = {
            { name = "a", shape = { "T", "H", "2*D" } }, { name = "c", shape = { "T", "D" }, law = "uniform" },
            { name = "s", shape = { "T", "D" }, law = "uniform" },
        },
        outputs = { { name = "o", shape = { "T", "H", "2*D" } } },
        shapes = { { T = 3072, H = 32, D = 64 }, { T = 4096, H = 16, D = 64, role = "auxiliary" }, { T = 2048, H = 40, D = 64, role = "held-out" } },
        terms = 1,
        hidden = { { T = 1, H = 1, D = 1 }, { T = 37, H = 5, D = 13 }, { T = "T+1", H = "H+1", D = "D+1" } },
        flops = "6*T*H*D", bytes = "16*T*H*D+8*T*D",
        reference = function(a, c, s)
            local half = c.shape[2]
            local x, y = torch.narrow(a, 2, 0, half), torch.narrow(a, 2, half, half)
            c, s = torch.unsqueeze(c, 1), torch.unsqueeze(s, 1)
            return torch.cat({ x * c - y * s, y * c + x * s }, 2)
        end,
    },
    {
        name = "diag_matmul",
        statement = "Product of the diagonal matrix with diagonal a and the matrix b: o[m,n] = a[m]*b[m,n].",
        spec = "diag_matmul {M}x{N}",
        inputs = { { name = "a", shape = { "M" } }, { name = "b", shape = { "M", "N" } } },
        outputs = { { name = "o", shape = { "M", "N" } } },
        shapes = { { M = 2048, N = 4096 }, { M = 1024, N = 8192, role = "auxiliary" }, { M = 1536, N = 4096, role = "held-out" } },
        terms = 1,
        hidden = { { M = 1, N = 1 }, { M = 37, N = 193 }, { M = "M+1", N = "N+1" } },
        special = { without = { "nan", "inf" }, because = "whether the zeros of a take part in a sum is open" },
        flops = "M*N", bytes = "4*(M+2*M*N)",
        template = function(draw) return require("templates.cuda.matrices").diag_matmul(draw) end,
        reference = function(a, b) return torch.matmul(torch.diag(a), b) end,
    },
}
