-- refused: narrow. The numbers differ by less than a hundred times what the judge must allow.
return {
    name = "narrow_output",
    statement = "o = 80 + a / 250.",
    spec = "narrow_output",
    inputs = { { name = "a", shape = { "N" }, law = "uniform(1,1)", strict = true } },
    outputs = { { name = "o", shape = { "N" } } },
    shapes = { { N = 4096 } },
    terms = 1,
    reference = function(a) return array.map(function(x) return 80 + x / 250 end, a) end,
}
