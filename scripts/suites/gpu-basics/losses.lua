-- Losses of each row. One mean of everything would be the same to four digits whatever the inputs are: no judge could tell it from a guess.
local hidden = { { R = 1, C = 1 }, { R = 37, C = 193 }, { R = "R+1", C = "C+1" } }
local matrix = { name = "a", shape = { "R", "C" } }
local rows = { name = "o", shape = { "R" } }

-- A mean of positive terms hardly feels that its inputs were rounded; f32 sums are better than its class demands.
local function mean(name, statement, flops, loss, law, special)
    return {
        name = name,
        statement = statement,
        spec = name .. " {R}x{C}",
        inputs = { matrix, { name = "b", shape = { "R", "C" }, law = law, strict = law ~= nil } }, outputs = { rows },
        shapes = { { R = 24576, C = 512 }, { R = 8192, C = 1024, role = "auxiliary" }, { R = 40960, C = 256, role = "held-out" } },
        terms = "C",
        hidden = hidden,
        tolerance = { class = "f32", factor = 0.4 },
        special = special,
        flops = flops .. "*R*C", bytes = "8*R*C+4*R",
        template = function(draw) return require("templates.cuda.losses")[name](draw) end,
        reference = loss,
    }
end

return {
    mean("mse_loss", "Mean squared error of each row: o[r] = sum_c (a[r,c]-b[r,c])^2 / C.", 3,
        function(a, b) return torch.mean(torch.mse_loss(a, b, { reduction = "none" }), { 1 }) end),
    mean("l1_loss", "Mean absolute error of each row: o[r] = sum_c abs(a[r,c]-b[r,c]) / C.", 2,
        function(a, b) return torch.mean(torch.l1_loss(a, b, { reduction = "none" }), { 1 }) end),
    mean("huber_loss", "Huber loss of each row: o[r] = sum_c h(a[r,c]-b[r,c]) / C, with h(d) = d^2/2 where abs(d) <= 1, else abs(d)-1/2.", 3,
        function(a, b) return torch.mean(torch.huber_loss(a, b, { reduction = "none" }), { 1 }) end),
    mean("bce_loss", "Binary cross entropy of each row, of logits a and probabilities b: "
        .. "o[r] = sum_c (max(a[r,c],0)-a[r,c]*b[r,c]+log(1+exp(-abs(a[r,c])))) / C.", 6,
        function(a, b) return torch.mean(torch.binary_cross_entropy_with_logits(a, b, { reduction = "none" }), { 1 }) end,
        "uniform(0.5,0.5)", { without = { "inf" }, because = "formulas that are equal for numbers differ for infinite logits" }),
    {
        name = "cross_entropy",
        statement = "Cross entropy of each row of logits a for the class b[r]: o[r] = log(sum_c exp(a[r,c]-m))+m-a[r,b[r]], "
            .. "with m the row's maximum. Values reach 100.",
        spec = "cross_entropy {R}x{C}",
        inputs = { { name = "a", shape = { "R", "C" }, law = "normal(30)" }, { name = "b", dtype = "i64", shape = { "R" }, law = "index(C)" } },
        outputs = { rows },
        shapes = { { R = 8192, C = 4096 }, { R = 16384, C = 1024, role = "auxiliary" }, { R = 4096, C = 6144, role = "held-out" } },
        terms = "C",
        hidden = hidden,
        flops = "3*R*C", bytes = "4*R*C+12*R",
        template = function(draw) return require("templates.cuda.rows").cross_entropy(draw) end,
        reference = function(a, b) return torch.cross_entropy(a, b, { reduction = "none" }) end,
    },
}
