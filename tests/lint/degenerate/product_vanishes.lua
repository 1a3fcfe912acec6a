-- refused: partial. A running product of numbers below 1 is 0 after some tens of steps (KernelBench level 1, 90).
return {
    name = "product_vanishes",
    statement = "o[i] = a[0] a[1] ... a[i].",
    spec = "product_vanishes",
    inputs = { { name = "a", shape = { "N" }, law = "uniform(0.5,0.5)", strict = true } },
    outputs = { { name = "o", shape = { "N" } } },
    shapes = { { N = 2048 } },
    reference = function(a)
        local product = 1
        return array.map(function(x)
            product = product * x
            return product
        end, a)
    end,
}
