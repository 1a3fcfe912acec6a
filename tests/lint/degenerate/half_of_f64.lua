-- refused: precision. The contract says f64, and what it allows lets a program round its inputs to float32.
return {
    name = "half_of_f64",
    statement = "o = a + b, in f64.",
    spec = "half_of_f64",
    inputs = { { name = "a", shape = { "N" }, dtype = "f64" }, { name = "b", shape = { "N" }, dtype = "f64" } },
    outputs = { { name = "o", shape = { "N" }, dtype = "f64" } },
    tolerance = { class = "f64", factor = 1e8 },
    terms = 1,
    shapes = { { N = 4096 } },
    reference = function(a, b) return array.map(function(x, y) return x + y end, a, b) end,
}
