-- Losses: one number of everything, or one of each row.
local hidden = { { N = 1 }, { N = 10007 }, { N = "N+1" } }
local shapes = { { N = 12582912 }, { N = 8388608, role = "auxiliary" }, { N = 16777216, role = "held-out" } }
local one = { name = "o", shape = {} }

-- a mean over N pairs; the operators themselves cannot write to a given output
local function mean(name, statement, flops, bounds, loss)
    return {
        name = name, statement = statement, spec = name .. " {N}",
        inputs = { { name = "a", shape = { "N" } }, { name = "b", shape = { "N" }, law = bounds } }, outputs = { one },
        shapes = shapes, hidden = hidden, flops = flops .. "*N", bytes = "8*N",
        template = function(draw) return require("templates.cuda.losses")[name](draw) end,
        reference = loss,
    }
end

return {
    mean("mse_loss", "Mean squared error of a and b, one number: o = sum_i (a[i]-b[i])^2 / N.", 3, nil,
        function(a, b) return torch.reshape(torch.mse_loss(a, b), {}) end),
    mean("l1_loss", "Mean absolute error of a and b, one number: o = sum_i abs(a[i]-b[i]) / N.", 2, nil,
        function(a, b) return torch.reshape(torch.l1_loss(a, b), {}) end),
    mean("huber_loss", "Huber loss of a and b, one number: o = sum_i h(a[i]-b[i]) / N, with h(d) = d^2/2 where abs(d) <= 1, else abs(d)-1/2.",
        3, nil,
        function(a, b) return torch.reshape(torch.huber_loss(a, b), {}) end),
    mean("bce_loss", "Binary cross entropy of logits a and probabilities b, one number: o = sum_i (max(a[i],0)-a[i]*b[i]+log(1+exp(-abs(a[i])))) / N.",
        6, "uniform(0.5,0.5)", function(a, b) return torch.reshape(torch.binary_cross_entropy_with_logits(a, b), {}) end),
    {
        name = "cross_entropy",
        statement = "Cross entropy of each row of logits a for the class b[r]: o[r] = log(sum_c exp(a[r,c]-m))+m-a[r,b[r]], "
            .. "with m the row's maximum. Values reach 100.",
        spec = "cross_entropy {R}x{C}",
        inputs = { { name = "a", shape = { "R", "C" }, law = "normal(30)" }, { name = "b", dtype = "i64", shape = { "R" }, law = "index(C)" } },
        outputs = { { name = "o", shape = { "R" } } },
        shapes = { { R = 8192, C = 4096 }, { R = 16384, C = 1024, role = "auxiliary" }, { R = 4096, C = 6144, role = "held-out" } },
        hidden = { { R = 1, C = 1 }, { R = 37, C = 193 }, { R = "R+1", C = "C+1" } },
        flops = "3*R*C", bytes = "4*R*C+12*R",
        template = function(draw) return require("templates.cuda.rows").cross_entropy(draw) end,
        reference = function(a, b) return torch.cross_entropy(a, b, { reduction = "none" }) end,
    },
}
