-- Softmax and the norms, with their weights as inputs.
local hidden = { { R = 1, C = 64 }, { R = 37, C = 192 }, { R = "R+1", C = "C+64" } }
local multiples = { C = 64 }
local weight = { name = "w", shape = { "C" }, law = "normal(0.5,1)" }

local function template(family, name)
    return function(draw) return require("templates." .. family)[name](draw) end
end

return {
    {
        name = "softmax",
        statement = "Softmax of each row of a: o[r,c] = exp(a[r,c]-m)/sum_c exp(a[r,c]-m), with m the row's maximum. "
            .. "Values reach 100, so m is taken off before anything else: exp(a-(m+log(sum))) and exp2(a*c-m*c) with rounded products are not precise enough.",
        spec = "softmax {R}x{C}",
        inputs = { { name = "a", shape = { "R", "C" }, law = "normal(30)" } },
        outputs = { { name = "o", shape = { "R", "C" } } },
        shapes = { { R = 256, C = 512 }, { R = 512, C = 512, role = "auxiliary" }, { R = 256, C = 1024, role = "auxiliary" },
            { R = 512, C = 1024, role = "held-out" } },
        terms = "C",
        hidden = hidden, multiples = multiples, flops = "4*R*C", bytes = "8*R*C",
        reference = function(a) return torch.softmax(a, 1) end,
        template = template("rows", "softmax"),
    },
    {
        name = "layer_norm",
        statement = "Layer norm of each row of a: o[r,c] = (a[r,c]-m)/sqrt(v+1e-5)*w[c]+b[c], "
            .. "with m and v the row's mean and (biased) variance.",
        spec = "layer_norm {R}x{C}",
        inputs = { { name = "a", shape = { "R", "C" } }, weight, { name = "b", shape = { "C" } } },
        outputs = { { name = "o", shape = { "R", "C" } } },
        shapes = { { R = 512, C = 1024 }, { R = 1024, C = 512, role = "auxiliary" }, { R = 512, C = 2048, role = "auxiliary" },
            { R = 1024, C = 1024, role = "held-out" } },
        terms = "C",
        hidden = hidden, multiples = multiples, flops = "7*R*C", bytes = "8*R*C+8*C",
        reference = function(a, w, b) return torch.layer_norm(a, w.shape, w, b, 1e-5) end,
        template = template("rows", "layer_norm"),
    },
    {
        name = "rms_norm",
        statement = "RMS norm of each row of a: o[r,c] = a[r,c]/sqrt(mean_c a[r,c]^2+1e-5)*w[c].",
        spec = "rms_norm {R}x{C}",
        inputs = { { name = "a", shape = { "R", "C" } }, weight },
        outputs = { { name = "o", shape = { "R", "C" } } },
        shapes = { { R = 256, C = 1024 }, { R = 256, C = 2048, role = "auxiliary" }, { R = 512, C = 512, role = "auxiliary" },
            { R = 512, C = 1024, role = "held-out" } },
        terms = "C",
        hidden = hidden, multiples = multiples, flops = "4*R*C", bytes = "8*R*C+4*C",
        reference = function(a, w) return torch.rms_norm(a, w.shape, w, 1e-5) end,
        template = template("rows", "rms_norm"),
    },
    {
        name = "batch_norm",
        statement = "Batch norm in training: o[n,c,s] = (a[n,c,s]-m[c])/sqrt(v[c]+1e-5)*w[c]+b[c], "
            .. "with m and v the mean and (biased) variance of channel c over n and s.",
        spec = "batch_norm {B}x{C}x{S}",
        inputs = { { name = "a", shape = { "B", "C", "S" } }, weight, { name = "b", shape = { "C" } } },
        outputs = { { name = "o", shape = { "B", "C", "S" } } },
        shapes = { { B = 8, C = 16, S = 1024 }, { B = 16, C = 16, S = 512, role = "auxiliary" } },
        terms = { "B", "S" },
        hidden = { { B = 1, C = 1, S = 64 }, { B = 5, C = 7, S = 192 }, { B = "B+1", C = "C+1", S = "S+64" } },
        multiples = { S = 64 }, flops = "5*B*C*S", bytes = "8*B*C*S+8*C",
        reference = function(a, w, b) return torch.batch_norm(a, w, b, nil, nil, true, 0.1, 1e-5, false) end,
        template = template("columns", "batch_norm"),
    },
}
