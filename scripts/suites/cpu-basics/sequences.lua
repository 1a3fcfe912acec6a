-- Running sums, attention and the transpose.
return {
    {
        name = "cumsum",
        statement = "Running sum along each row of a: o[r,c] = sum_{k<=c} a[r,k].",
        spec = "cumsum {R}x{C}",
        inputs = { { name = "a", shape = { "R", "C" } } },
        outputs = { { name = "o", shape = { "R", "C" } } },
        shapes = { { R = 512, C = 1024 }, { R = 1024, C = 512, role = "auxiliary" }, { R = 256, C = 2048, role = "auxiliary" } },
        terms = "C",
        hidden = { { R = 8, C = 64 }, { R = 24, C = 192 }, { R = "R+8", C = "C+64" } },
        multiples = { R = 8, C = 64 }, flops = "R*(C-1)", bytes = "8*R*C",
        reference = function(a) return torch.cumsum(a, 1) end,
        template = function(draw) return require("templates.scan").cumsum(draw) end,
    },
    {
        name = "attention",
        statement = "One head of attention with queries a, keys b, values c: o = softmax(a b^T / sqrt(D)) c, the softmax over each row.",
        spec = "attention {S}x{D}",
        inputs = { { name = "a", shape = { "S", "D" }, law = "normal(3)" }, { name = "b", shape = { "S", "D" }, law = "normal(3)" },
            { name = "c", shape = { "S", "D" } } },
        outputs = { { name = "o", shape = { "S", "D" } } },
        shapes = { { S = 384, D = 32 }, { S = 256, D = 64, role = "auxiliary" } },
        terms = "S", tolerance = { class = "f32", roundings = 500 }, larger = false,  -- an exponential magnifies what its argument, a large sum, was rounded by
        hidden = { { S = 1, D = 16 }, { S = 37, D = 48 }, { S = "S+1", D = "D+16" } },
        multiples = { D = 16 }, flops = "S*S*(2*D-1)+S*D*(2*S-1)", bytes = "16*S*D",
        reference = function(a, b, c)
            local o = torch.scaled_dot_product_attention(torch.unsqueeze(a, 0), torch.unsqueeze(b, 0), torch.unsqueeze(c, 0))
            return torch.squeeze(o, 0)
        end,
        template = function(draw) return require("templates.attention").head(draw) end,
    },
    {
        name = "transpose",
        statement = "Transpose: o[c,r] = a[r,c]; a has R rows of C values, o has C rows of R.",
        spec = "transpose {R}x{C}",
        inputs = { { name = "a", shape = { "R", "C" } } },
        outputs = { { name = "o", shape = { "C", "R" } } },
        shapes = { { R = 512, C = 512 }, { R = 1024, C = 256, role = "auxiliary" } },
        terms = 1,
        hidden = { { R = 32, C = 32 }, { R = 96, C = 160 }, { R = "R+32", C = "C+32" } },
        multiples = { R = 32, C = 32 }, bytes = "8*R*C",
        reference = function(a) return torch.contiguous(torch.t(a)) end,
        template = function(draw) return require("templates.movement").transpose(draw) end,
    },
}
