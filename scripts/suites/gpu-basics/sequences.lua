-- Attention of several heads, and recurrent cells over a number of steps that the reference takes one by one.
local function attention(name, dtype, scale, heads, auxiliary, held_out)
    return {
        name = name,
        statement = "H heads of attention of width 64 with queries a, keys b, values c: "
            .. "o[h] = softmax(a[h] b[h]^T / 8) c[h], the softmax over each row" .. (dtype == "f16" and "; sums in f32." or "."),
        spec = name .. " {H}x{S}x64",
        inputs = {
            { name = "a", dtype = dtype, shape = { "H", "S", 64 }, law = scale }, { name = "b", dtype = dtype, shape = { "H", "S", 64 }, law = scale },
            { name = "c", dtype = dtype, shape = { "H", "S", 64 } },
        },
        outputs = { { name = "o", dtype = dtype, shape = { "H", "S", 64 } } },
        shapes = { heads, auxiliary, held_out },
        terms = dtype == "f32" and "S" or nil,
        hidden = { { H = 1, S = 1 }, { H = 3, S = 197 }, { H = "H+1", S = "S+1" } },
        special = { without = { "inf" }, because = "whether a weight that underflows makes NaN of an infinity in c is open" },
        -- an exponential magnifies what its argument, a large sum, was rounded by
        tolerance = dtype == "f32" and { class = "f32", roundings = 500 } or dtype, larger = false, flops = "H*S*(127*S+64*(2*S-1))", bytes = (dtype == "f16" and "512" or "1024") .. "*H*S",
        reference = function(a, b, c)
            local batch = function(t) return torch.unsqueeze(t, 0) end -- the fused kernels want one
            return torch.squeeze(torch.scaled_dot_product_attention(batch(a), batch(b), batch(c)), 0)
        end,
    }
end

-- Weights are strict: ten times as wide, the cells would be chaotic and no two orders of summation would agree after a few steps.
local function recurrent(name, gates, inputs, outputs, statement, flops, reference)
    local rows = gates .. "*H"
    local function weight(name, shape) return { name = name, shape = shape, law = "normal(0.05)", strict = true } end
    local all = {
        { name = "x", shape = { "T", "B", "H" } }, { name = "h", shape = { "B", "H" } },
        weight("wi", { rows, "H" }), weight("wh", { rows, "H" }), weight("bi", { rows }), weight("bh", { rows }),
    }
    for _, input in ipairs(inputs) do table.insert(all, 3, input) end
    return {
        name = name,
        statement = statement,
        spec = name .. " {T}x{B}x{H}",
        inputs = all,
        outputs = outputs,
        shapes = {
            { T = 16, B = 16, H = 256 }, { T = 32, B = 8, H = 256, role = "auxiliary" }, { T = 16, B = 8, H = 512, role = "held-out" },
        },
        terms = { "T", "H" },
        hidden = { { T = 1, B = 1, H = 4 }, { T = 5, B = 3, H = 52 }, { T = "T+1", B = "B+1", H = "H+4" } },
        special = { without = { "nan", "inf" }, because = "what a gate makes of them is open" },
        integers = false, larger = false, multiples = { H = 4 }, flops = flops, bytes = "4*(2*T*B*H+" .. 2 * gates .. "*H*H)",
        reference = reference,
    }
end

return {
    attention("attention", "f32", "normal(3)", { H = 32, S = 1024 }, { H = 64, S = 512, role = "auxiliary" },
        { H = 16, S = 2048, role = "held-out" }),
    attention("attention_half", "f16", "normal(2)", { H = 16, S = 2048 }, { H = 64, S = 1024, role = "auxiliary" },
        { H = 8, S = 4096, role = "held-out" }),
    recurrent("gru_steps", 3, {}, { { name = "o", shape = { "T", "B", "H" } } },
        "T steps of a GRU cell for B sequences. Rows of wi, wh, bi, bh: H each for r, z, n. With p = wi x[t,b] + bi and q = wh h + bh: "
            .. "r = sigmoid(p_r+q_r), z = sigmoid(p_z+q_z), n = tanh(p_n+r*q_n), h = (1-z)*n+z*h, and o[t,b] is the new h.",
        "12*T*B*H*H",
        function(x, h, wi, wh, bi, bh)
            local states = {}
            for t = 0, x.shape[1] - 1 do
                h = torch.gru_cell(x[t], h, wi, wh, bi, bh)
                states[t + 1] = h
            end
            return torch.stack(states)
        end),
    recurrent("lstm_steps", 4, { { name = "c", shape = { "B", "H" } } },
        { { name = "o", shape = { "T", "B", "H" } }, { name = "last", shape = { "B", "H" } } },
        "T steps of an LSTM cell for B sequences. Rows of wi, wh, bi, bh: H each for i, f, g, s. With p = wi x[t,b] + bi + wh h + bh: "
            .. "c = sigmoid(p_f)*c + sigmoid(p_i)*tanh(p_g), h = sigmoid(p_s)*tanh(c); o[t,b] is the new h, last the c after the last step.",
        "16*T*B*H*H",
        function(x, h, c, wi, wh, bi, bh)
            local states = {}
            for t = 0, x.shape[1] - 1 do
                h, c = torch.lstm_cell(x[t], { h, c }, wi, wh, bi, bh)
                states[t + 1] = h
            end
            return torch.stack(states), c
        end),
}
