-- refused: random. The reference keeps a number from call to call.
return {
    name = "counts_its_calls",
    statement = "o = a + (calls so far).",
    spec = "counts_its_calls",
    inputs = { { name = "a", shape = { "N" } } },
    outputs = { { name = "o", shape = { "N" } } },
    shapes = { { N = 1024 } },
    reference = (function()
        local calls = 0
        return function(a)
            calls = calls + 1
            return array.map(function(x) return x + calls end, a)
        end
    end)(),
}
