-- accepted. Whole numbers have one law, index(n), and so one distribution.
return {
    name = "whole_numbers",
    statement = "o = 3 a + b.",
    spec = "whole_numbers",
    inputs = {
        { name = "a", shape = { "N" }, dtype = "i32", law = "index(1000)" }, { name = "b", shape = { "N" }, dtype = "i32", law = "index(1000)" },
    },
    outputs = { { name = "o", shape = { "N" }, dtype = "i32" } },
    shapes = { { N = 4096 } },
    reference = function(a, b) return array.map(function(x, y) return 3 * x + y end, a, b) end,
}
