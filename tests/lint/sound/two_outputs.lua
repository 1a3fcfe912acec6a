-- accepted. Two outputs of sizes that have nothing to do with each other: a sample of one says nothing of the other.
return {
    name = "two_outputs",
    statement = "o1[r] = sum_c a[r,c]; o2 = 3 b.",
    inputs = { { name = "a", shape = { "R", "C" } }, { name = "b", shape = { "M", "K" } } },
    outputs = { { name = "o1", shape = { "R" } }, { name = "o2", shape = { "M", "K" } } },
    shapes = { { R = 64, C = 64, M = 32, K = 48 } },
    hidden = { { R = 4, C = 5, M = 3, K = 7 } },
    terms = "C",
    reference = function(a, b)
        return array.sum_rows(a), array.map(function(x) return 3 * x end, b)
    end,
}
