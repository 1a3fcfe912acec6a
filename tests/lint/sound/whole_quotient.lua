-- accepted. A divisor that is never zero is taken to be the least number of its law, where the linter leaves it out.
return {
    name = "whole_quotient",
    statement = "o = a / b, rounded down.",
    inputs = {
        { name = "a", dtype = "i64", shape = { "N" }, law = "index(1000,-500)" },
        { name = "b", dtype = "i64", shape = { "N" }, law = "index(9,1)", strict = true },
    },
    outputs = { { name = "o", dtype = "i64", shape = { "N" } } },
    shapes = { { N = 4096 } },
    reference = function(a, b) return torch.div(a, b, { rounding_mode = "floor" }) end,
}
