-- Losses: mean squared error over everything, cross entropy of each row.
return {
    {
        name = "mse_loss",
        statement = "Mean squared error of a and b, one number: o = sum_i (a[i]-b[i])^2 / N.",
        spec = "mse_loss n={N}",
        inputs = { { name = "a", shape = { "N" } }, { name = "b", shape = { "N" } } },
        outputs = { { name = "o", shape = {} } },
        shapes = { { N = 393216 }, { N = 262144, role = "auxiliary" } },
        terms = "N",
        hidden = { { N = 1024 }, { N = 7168 }, { N = "N+1024" } },
        multiples = { N = 1024 }, flops = "3*N", bytes = "8*N",
        reference = function(a, b) return torch.reshape(torch.mse_loss(a, b), {}) end, -- mse_loss itself cannot write to a given output
        template = function(draw) return require("templates.losses").mse(draw) end,
    },
    {
        name = "cross_entropy",
        statement = "Cross entropy of each row of logits a for the class b[r]: o[r] = log(sum_c exp(a[r,c]-m))+m-a[r,b[r]], "
            .. "with m the row's maximum. Values reach 100.",
        spec = "cross_entropy {R}x{C}",
        inputs = { { name = "a", shape = { "R", "C" }, law = "normal(30)" }, { name = "b", dtype = "i64", shape = { "R" },
            law = "index(C)" } },
        outputs = { { name = "o", shape = { "R" } } },
        shapes = { { R = 256, C = 512 }, { R = 512, C = 512, role = "auxiliary" }, { R = 256, C = 1024, role = "auxiliary" } },
        terms = "C",
        hidden = { { R = 1, C = 64 }, { R = 197, C = 192 }, { R = "R+1", C = "C+64" } },
        multiples = { C = 64 }, flops = "3*R*C", bytes = "4*R*C+12*R",
        reference = function(a, b) return torch.cross_entropy(a, b, { reduction = "none" }) end,
        template = function(draw) return require("templates.rows").cross_entropy(draw) end,
    },
}
