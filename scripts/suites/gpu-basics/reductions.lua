-- Sums, maxima and running sums over the rows or columns of a matrix. Bytes are read once; the results are few, but for the running sums.
local hidden = { { R = 1, C = 1 }, { R = 53, C = 193 }, { R = "R+1", C = "C+1" } }
local matrix = { name = "a", shape = { "R", "C" } }
local rows = { name = "o", shape = { "R" } }
local shapes = { { R = 8192, C = 4096 }, { R = 16384, C = 1024, role = "auxiliary" }, { R = 4096, C = 6144, role = "held-out" } }

return {
    {
        name = "row_sum",
        statement = "Sum of each row of a: o[r] = sum_c a[r,c].",
        spec = "row_sum {R}x{C}",
        inputs = { matrix }, outputs = { rows }, shapes = shapes,
        hidden = hidden, flops = "R*(C-1)", bytes = "4*R*C+4*R",
        template = function(draw) return require("templates.cuda.rows").row_sum(draw) end,
        reference = function(a) return torch.sum(a, 1) end,
    },
    {
        name = "row_max",
        statement = "Largest value of each row of a: o[r] = max_c a[r,c]. All values may be negative; NaN if the row has one.",
        spec = "row_max {R}x{C}",
        inputs = { { name = "a", shape = { "R", "C" }, law = "normal(3,-20)" } }, outputs = { rows }, shapes = shapes,
        hidden = hidden, flops = "R*(C-1)", bytes = "4*R*C+4*R",
        template = function(draw) return require("templates.cuda.rows").row_max(draw) end,
        reference = function(a) return torch.amax(a, 1) end,
    },
    {
        name = "argmax",
        statement = "Place of the largest value of each row of a, the first of equal ones: o[r] = argmax_c a[r,c].",
        spec = "argmax {R}x{C}",
        inputs = { matrix }, outputs = { { name = "o", dtype = "i64", shape = { "R" } } }, shapes = shapes,
        hidden = hidden, flops = "R*(C-1)", bytes = "4*R*C+8*R",
        special = { without = { "nan" }, because = "a maximum may drop NaN" },
        reference = function(a) return torch.argmax(a, 1) end,
    },
    {
        name = "sum_of_squares",
        statement = "Squared Euclidean norm of each row of a: o[r] = sum_c a[r,c]^2.",
        spec = "sum_of_squares {R}x{C}",
        inputs = { matrix }, outputs = { rows }, shapes = shapes,
        hidden = hidden, flops = "R*(2*C-1)", bytes = "4*R*C+4*R",
        template = function(draw) return require("templates.cuda.rows").sum_of_squares(draw) end,
        reference = function(a) return torch.sum(a * a, 1) end,
    },
    {
        name = "logsumexp",
        statement = "Logarithm of the sum of exponentials of each row of a: o[r] = m+log(sum_c exp(a[r,c]-m)), with m the row's maximum.",
        spec = "logsumexp {R}x{C}",
        inputs = { { name = "a", shape = { "R", "C" }, law = "normal(3)" } }, outputs = { rows }, shapes = shapes,
        hidden = hidden, flops = "3*R*C", bytes = "4*R*C+4*R",
        template = function(draw) return require("templates.cuda.rows").logsumexp(draw) end,
        reference = function(a) return torch.logsumexp(a, 1) end,
    },
    {
        name = "column_sum",
        statement = "Sum of each column of a: o[c] = sum_r a[r,c].",
        spec = "column_sum {R}x{C}",
        inputs = { matrix }, outputs = { { name = "o", shape = { "C" } } }, shapes = shapes,
        hidden = hidden, flops = "(R-1)*C", bytes = "4*R*C+4*C",
        template = function(draw) return require("templates.cuda.columns").column_sum(draw) end,
        reference = function(a) return torch.sum(a, 0) end,
    },
    {
        name = "cumsum",
        statement = "Running sum along each row of a: o[r,c] = sum_{k<=c} a[r,k].",
        spec = "cumsum {R}x{C}",
        inputs = { matrix }, outputs = { { name = "o", shape = { "R", "C" } } },
        shapes = { { R = 6144, C = 2048 }, { R = 8192, C = 1024, role = "auxiliary" }, { R = 4096, C = 3072, role = "held-out" } },
        hidden = hidden, flops = "R*(C-1)", bytes = "8*R*C",
        template = function(draw) return require("templates.cuda.scan").cumsum(draw) end,
        reference = function(a) return torch.cumsum(a, 1) end,
    },
    {
        name = "column_cumsum",
        statement = "Running sum down each column of a: o[r,c] = sum_{k<=r} a[k,c].",
        spec = "column_cumsum {R}x{C}",
        inputs = { matrix }, outputs = { { name = "o", shape = { "R", "C" } } },
        shapes = { { R = 1024, C = 8192 }, { R = 2048, C = 4096, role = "auxiliary" }, { R = 768, C = 12288, role = "held-out" } },
        hidden = hidden, flops = "(R-1)*C", bytes = "8*R*C",
        template = function(draw) return require("templates.cuda.columns").column_cumsum(draw) end,
        reference = function(a) return torch.cumsum(a, 0) end,
    },
}
