local name = M == 1024 and "matmul" or "hidden_size_" .. M
return { { torch = name, args = { "a", "b" }, out = "o" } }
