local steps = {}
for t = 0, T - 1 do
    steps[t + 1] = { kernel = "step", grid = ceil_div(B * H, 64), block = 64, args = { "x", "h", "c", "wi", "wh", "bi", "bh", "o", "last", t, B, H } }
end
return steps
