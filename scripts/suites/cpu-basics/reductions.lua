-- Sums and maxima of rows and columns, and the product of a matrix and a vector.
local hidden = { { R = 4, C = 64 }, { R = 52, C = 192 }, { R = "R+4", C = "C+64" } }
local multiples = { R = 4, C = 64 }

local function template(family, name)
    return function(draw) return require("templates." .. family)[name](draw) end
end

return {
    {
        name = "row_sum",
        statement = "Sum of each row of a: o[r] = sum_c a[r,c].",
        spec = "row_sum {R}x{C}",
        inputs = { { name = "a", shape = { "R", "C" } } },
        outputs = { { name = "o", shape = { "R" } } },
        shapes = { { R = 1024, C = 2048 }, { R = 512, C = 4096, role = "auxiliary" }, { R = 4096, C = 1024, role = "auxiliary" },
            { R = 2048, C = 1024, role = "held-out" } },
        terms = "C",
        hidden = hidden, multiples = multiples, flops = "R*(C-1)", bytes = "4*R*C+4*R",
        reference = function(a) return torch.sum(a, 1) end,
        template = template("rows", "row_sum"),
    },
    {
        name = "row_max",
        statement = "Largest value of each row of a: o[r] = max_c a[r,c]. All values may be negative.",
        spec = "row_max {R}x{C}",
        inputs = { { name = "a", shape = { "R", "C" }, law = "normal(3,-20)" } },
        outputs = { { name = "o", shape = { "R" } } },
        shapes = { { R = 1024, C = 2048 }, { R = 2048, C = 1024, role = "auxiliary" } },
        special = { without = { "nan" }, because = "a maximum may drop NaN" },
        terms = 1,
        hidden = hidden, multiples = multiples, flops = "R*(C-1)", bytes = "4*R*C+4*R",
        reference = function(a) return torch.amax(a, 1) end,
        template = template("rows", "row_max"),
    },
    {
        name = "sum_of_squares",
        statement = "Squared Euclidean norm of each row of a: o[r] = sum_c a[r,c]^2.",
        spec = "sum_of_squares {R}x{C}",
        inputs = { { name = "a", shape = { "R", "C" } } },
        outputs = { { name = "o", shape = { "R" } } },
        shapes = { { R = 1024, C = 2048 }, { R = 2048, C = 1024, role = "auxiliary" } },
        terms = "C",
        hidden = hidden, multiples = multiples, flops = "R*(2*C-1)", bytes = "4*R*C+4*R",
        reference = function(a) return torch.sum(a * a, 1) end,
        template = template("rows", "sum_of_squares"),
    },
    {
        name = "column_sum",
        statement = "Sum of each column of a: o[c] = sum_r a[r,c].",
        spec = "column_sum {R}x{C}",
        inputs = { { name = "a", shape = { "R", "C" } } },
        outputs = { { name = "o", shape = { "C" } } },
        shapes = { { R = 1024, C = 2048 }, { R = 2048, C = 1024, role = "auxiliary" } },
        terms = "R",
        hidden = hidden, multiples = multiples, flops = "(R-1)*C", bytes = "4*R*C+4*C",
        reference = function(a) return torch.sum(a, 0) end,
        template = template("columns", "column_sum"),
    },
    {
        name = "matvec",
        statement = "Matrix times vector: o[r] = sum_c a[r,c]*b[c].",
        spec = "matvec {R}x{C}",
        inputs = { { name = "a", shape = { "R", "C" } }, { name = "b", shape = { "C" } } },
        outputs = { { name = "o", shape = { "R" } } },
        shapes = { { R = 1024, C = 2048 }, { R = 1024, C = 4096, role = "auxiliary" } },
        terms = "C",
        hidden = hidden, multiples = multiples, flops = "R*(2*C-1)", bytes = "4*R*C+4*C+4*R",
        reference = function(a, b) return torch.mv(a, b) end,
        template = template("rows", "matvec"),
    },
}
