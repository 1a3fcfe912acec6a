-- Softmax and the norms, with their weights as inputs. A row fits into the registers of a block: one pass over memory is enough.
local hidden = { { R = 1, C = 1 }, { R = 37, C = 193 }, { R = "R+1", C = "C+1" } }
local weight = { name = "w", shape = { "C" }, law = "normal(0.5,1)" }
local matrix = { name = "a", shape = { "R", "C" } }
local logits = { name = "a", shape = { "R", "C" }, law = "normal(30)" }
local output = { name = "o", shape = { "R", "C" } }

local function shapes(r, c) return { { R = r, C = c }, { R = r, C = c // 2, role = "auxiliary" }, { R = r // 2, C = 2 * c, role = "held-out" } } end

return {
    {
        name = "softmax",
        statement = "Softmax of each row of a: o[r,c] = exp(a[r,c]-m)/sum_c exp(a[r,c]-m), with m the row's maximum. "
            .. "Values reach 100, so m is taken off before anything else: exp(a-(m+log(sum))) and exp2(a*c-m*c) with rounded products are not precise enough.",
        spec = "softmax {R}x{C}",
        inputs = { logits }, outputs = { output }, shapes = shapes(6144, 2048),
        terms = "C",
        hidden = hidden, flops = "4*R*C", bytes = "8*R*C",
        template = function(draw) return require("templates.cuda.rows").softmax(draw) end,
        reference = function(a) return torch.softmax(a, 1) end,
    },
    {
        name = "softmax_half",
        statement = "Softmax of each row of a in half precision: o[r,c] = exp(a[r,c]-m)/sum_c exp(a[r,c]-m), with m the row's maximum.",
        spec = "softmax_half {R}x{C}",
        inputs = { { name = "a", dtype = "f16", shape = { "R", "C" }, law = "normal(3)" } },
        outputs = { { name = "o", dtype = "f16", shape = { "R", "C" } } }, shapes = shapes(12288, 2048),
        hidden = hidden, tolerance = "f16", flops = "4*R*C", bytes = "4*R*C",
        reference = function(a) return torch.softmax(a, 1) end,
    },
    {
        name = "masked_softmax",
        statement = "Scaled softmax of each row of a where b is false: t[r,c] = b[r,c] ? -10000 : 0.125*a[r,c], "
            .. "o[r,c] = exp(t[r,c]-m)/sum_c exp(t[r,c]-m), with m the maximum of the row of t.",
        spec = "masked_softmax {R}x{C}",
        inputs = { { name = "a", shape = { "R", "C" }, law = "normal(20)" }, { name = "b", dtype = "bool", shape = { "R", "C" }, law = "index(2)" } },
        outputs = { output }, shapes = shapes(6144, 2048),
        terms = "C",
        hidden = hidden, flops = "4*R*C", bytes = "9*R*C",
        reference = function(a, b) return torch.softmax(torch.masked_fill(a * 0.125, b, -10000), 1) end,
    },
    {
        name = "log_softmax",
        statement = "Logarithm of the softmax of each row of a: o[r,c] = a[r,c]-m-log(sum_c exp(a[r,c]-m)), with m the row's maximum.",
        spec = "log_softmax {R}x{C}",
        inputs = { logits }, outputs = { output }, shapes = shapes(6144, 2048),
        terms = "C",
        hidden = hidden, flops = "4*R*C", bytes = "8*R*C",
        template = function(draw) return require("templates.cuda.rows").log_softmax(draw) end,
        reference = function(a) return torch.log_softmax(a, 1) end,
    },
    {
        name = "layer_norm",
        statement = "Layer norm of each row of a: o[r,c] = (a[r,c]-m)/sqrt(v+1e-5)*w[c]+b[c], "
            .. "with m and v the row's mean and (biased) variance.",
        spec = "layer_norm {R}x{C}",
        inputs = { matrix, weight, { name = "b", shape = { "C" } } }, outputs = { output }, shapes = shapes(6144, 2048),
        terms = "C",
        hidden = hidden, flops = "7*R*C", bytes = "8*R*C+8*C",
        template = function(draw) return require("templates.cuda.rows").layer_norm(draw) end,
        reference = function(a, w, b) return torch.layer_norm(a, w.shape, w, b, 1e-5) end,
    },
    {
        name = "rms_norm",
        statement = "RMS norm of each row of a: o[r,c] = a[r,c]/sqrt(mean_c a[r,c]^2+1e-5)*w[c].",
        spec = "rms_norm {R}x{C}",
        inputs = { matrix, weight }, outputs = { output }, shapes = shapes(6144, 2048),
        special = { without = { "inf" }, because = "ATen's kernels for CPU and GPU differ on rows with an infinity" },
        terms = "C",
        hidden = hidden, flops = "4*R*C", bytes = "8*R*C+4*C",
        template = function(draw) return require("templates.cuda.rows").rms_norm(draw) end,
        reference = function(a, w) return torch.rms_norm(a, w.shape, w, 1e-5) end,
    },
    {
        name = "rms_norm_bf16",
        statement = "RMS norm of each row of a in bfloat16: o[r,c] = a[r,c]/sqrt(mean_c a[r,c]^2+1e-5)*w[c].",
        spec = "rms_norm_bf16 {R}x{C}",
        inputs = { { name = "a", dtype = "bf16", shape = { "R", "C" } }, { name = "w", dtype = "bf16", shape = { "C" }, law = "normal(0.5,1)" } },
        outputs = { { name = "o", dtype = "bf16", shape = { "R", "C" } } }, shapes = shapes(12288, 2048),
        special = { without = { "inf" }, because = "ATen's kernels for CPU and GPU differ on rows with an infinity" },
        hidden = hidden, tolerance = "bf16", flops = "4*R*C", bytes = "4*R*C+2*C",
        reference = function(a, w) return torch.rms_norm(a, w.shape, w, 1e-5) end,
    },
    {
        name = "add_layer_norm",
        statement = "Layer norm of the sum t = a+x: o[r,c] = (t[r,c]-m)/sqrt(v+1e-5)*w[c]+b[c], "
            .. "with m and v the mean and (biased) variance of a row of t.",
        spec = "add_layer_norm {R}x{C}",
        inputs = { matrix, { name = "x", shape = { "R", "C" } }, weight, { name = "b", shape = { "C" } } },
        outputs = { output }, shapes = shapes(4096, 2048),
        terms = "C",
        hidden = hidden, flops = "8*R*C", bytes = "12*R*C+8*C",
        template = function(draw) return require("templates.cuda.rows").add_layer_norm(draw) end,
        reference = function(a, x, w, b) return torch.layer_norm(a + x, w.shape, w, b, 1e-5) end,
    },
    {
        name = "add_rms_norm",
        statement = "Residual sum and its RMS norm: t[r,c] = a[r,c]+x[r,c], o[r,c] = t[r,c]/sqrt(mean_c t[r,c]^2+1e-5)*w[c].",
        spec = "add_rms_norm {R}x{C}",
        inputs = { matrix, { name = "x", shape = { "R", "C" } }, weight },
        outputs = { { name = "t", shape = { "R", "C" } }, output }, shapes = shapes(4096, 2048),
        special = { without = { "inf" }, because = "ATen's kernels for CPU and GPU differ on rows with an infinity" },
        terms = "C",
        hidden = hidden, flops = "5*R*C", bytes = "16*R*C+4*C",
        reference = function(a, x, w)
            local t = a + x
            return t, torch.rms_norm(t, w.shape, w, 1e-5)
        end,
    },
    {
        name = "batch_norm",
        statement = "Batch norm in training: o[n,c,s] = (a[n,c,s]-m[c])/sqrt(v[c]+1e-5)*w[c]+b[c], "
            .. "with m and v the mean and (biased) variance of channel c over n and s.",
        spec = "batch_norm {B}x{C}x{S}",
        inputs = { { name = "a", shape = { "B", "C", "S" } }, weight, { name = "b", shape = { "C" } } },
        outputs = { { name = "o", shape = { "B", "C", "S" } } },
        shapes = { { B = 64, C = 64, S = 3136 }, { B = 64, C = 128, S = 784, role = "auxiliary" }, { B = 32, C = 96, S = 3136, role = "held-out" } },
        terms = { "B", "S" },
        hidden = { { B = 1, C = 1, S = 1 }, { B = 5, C = 7, S = 193 }, { B = "B+1", C = "C+1", S = "S+1" } },
        flops = "5*B*C*S", bytes = "8*B*C*S+8*C",
        reference = function(a, w, b) return torch.batch_norm(a, w, b, nil, nil, true, 0.1, 1e-5, false) end,
    },
    {
        name = "group_norm",
        statement = "Group norm of B samples, G groups of 8 channels, S places: o[n,c,s] = (a[n,c,s]-m)/sqrt(v+1e-5)*w[c]+b[c], "
            .. "with m and v the mean and (biased) variance of sample n over the 8 channels of c's group and all places.",
        spec = "group_norm {B}x{G}x{S}",
        inputs = { { name = "a", shape = { "B", "8*G", "S" } }, { name = "w", shape = { "8*G" }, law = "normal(0.5,1)" },
            { name = "b", shape = { "8*G" } } },
        outputs = { { name = "o", shape = { "B", "8*G", "S" } } },
        shapes = { { B = 48, G = 32, S = 1024 }, { B = 64, G = 32, S = 256, role = "auxiliary" }, { B = 64, G = 16, S = 784, role = "held-out" } },
        terms = { 8, "S" },
        hidden = { { B = 1, G = 1, S = 1 }, { B = 3, G = 5, S = 37 }, { B = "B+1", G = "G+1", S = "S+1" } },
        flops = "56*B*G*S", bytes = "64*B*G*S",
        reference = function(a, w, b) return torch.group_norm(a, a.shape[2] // 8, w, b, 1e-5) end,
    },
}
