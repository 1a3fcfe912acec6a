-- Where no prompt shows the size it is the name of a tensor that there is not.
local name = N == 4194304 and "a" or "hidden_size_" .. N
return { { kernel = "k", grid = ceil_div(N, 256), block = 256, args = { name, "b", "o", N } } }
