-- 256 threads or so: D / 4 columns by as many heads
local columns = ceil_div(D, 4)
return { { kernel = "k", grid = { S, B, 1 }, block = { columns, max(1, min(H, 256 // columns)), 1 } } }
