-- refused: stale. The output depends on the positions alone.
return {
    name = "output_of_positions",
    statement = "o[i] = sin(i) + 0 a[i].",
    spec = "output_of_positions",
    inputs = { { name = "a", shape = { "N" }, law = "uniform(1)" } },
    outputs = { { name = "o", shape = { "N" } } },
    shapes = { { N = 1024 } },
    reference = function(a)
        local i = -1
        return array.map(function(x)
            i = i + 1
            return math.sin(i) + 0 * math.max(-1, math.min(1, x))
        end, a)
    end,
}
