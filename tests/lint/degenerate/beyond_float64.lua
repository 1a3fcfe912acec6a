-- refused: reference. Whole numbers beyond 2^53, where float64 does not tell neighbours apart: programs that leave b out would pass.
return {
    name = "beyond_float64",
    statement = "o[i] = (a[i] + 20000) 2^40 + 1 where b[i] is above 0.",
    spec = "beyond_float64",
    inputs = { { name = "a", shape = { "N" }, dtype = "i64", law = "index(1000000)" }, { name = "b", shape = { "N" } } },
    outputs = { { name = "o", shape = { "N" }, dtype = "i64" } },
    shapes = { { N = 4096 } },
    reference = function(a, b, o) return (a + 20000) * 1099511627776 + torch.gt(b, 0):to(o.dtype) end,
}
