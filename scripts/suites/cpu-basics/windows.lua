-- Convolutions with 3x3 filters (no padding, no bias) and pooling over 2x2 windows. Least flops: Winograd's algorithms need fewer than the
-- definition, with many channels 36 multiplications and additions for 16 outputs.
local function template(name)
    return function(draw) return require("templates.stencil")[name](draw) end
end

-- Winograd's transforms round more than the definition does, beside an outlier most of all. Honest programs may use them.
local winograd = { class = "f32", roundings = 1000 }

return {
    {
        name = "conv3x3",
        statement = "3x3 convolution (correlation, no padding) of one channel: o[i,j] = sum_{u,v} a[i+u,j+v]*w[u,v]. "
            .. "A row of a has W+2 values.",
        spec = "conv3x3 {H}x{W}",
        inputs = { { name = "a", shape = { "H+2", "W+2" } }, { name = "w", shape = { 3, 3 } } },
        outputs = { { name = "o", shape = { "H", "W" } } },
        shapes = { { H = 256, W = 256 }, { H = 128, W = 512, role = "auxiliary" } },
        terms = 9,
        hidden = { { H = 4, W = 64 }, { H = 12, W = 192 }, { H = "H+4", W = "W+64" } },
        multiples = { H = 4, W = 64 }, flops = "9*H*W", bytes = "8*H*W",
        reference = function(a, w)
            local o = torch.conv2d(torch.unsqueeze(torch.unsqueeze(a, 0), 0), torch.unsqueeze(torch.unsqueeze(w, 0), 0))
            return torch.squeeze(torch.squeeze(o, 0), 0)
        end,
        template = template("conv3x3"),
    },
    {
        name = "conv3x3_channels",
        statement = "3x3 convolution (no padding) of K channels into M: o[m,i,j] = sum_{k,u,v} a[k,i+u,j+v]*w[m,k,u,v]. "
            .. "A row of a has W+2 values, a channel H+2 rows.",
        spec = "conv3x3_channels {K}x{H}x{W}x{M}",
        inputs = { { name = "a", shape = { "K", "H+2", "W+2" } }, { name = "w", shape = { "M", "K", 3, 3 } } },
        outputs = { { name = "o", shape = { "M", "H", "W" } } },
        shapes = { { K = 8, H = 64, W = 128, M = 16 }, { K = 16, H = 64, W = 64, M = 16, role = "auxiliary" } },
        terms = "9*K",
        tolerance = winograd, special = { without = { "nan", "inf" }, because = "Winograd's transforms carry them to neighbours" },
        hidden = { { K = 1, H = 1, W = 64, M = 4 }, { K = 3, H = 5, W = 192, M = 12 }, { K = "K+1", H = "H+1", W = "W+64", M = "M+4" } },
        multiples = { M = 4, W = 64 }, flops = "9*K*H*W*M/2", bytes = "4*((K+M)*H*W+9*K*M)",
        reference = function(a, w) return torch.squeeze(torch.conv2d(torch.unsqueeze(a, 0), w), 0) end,
        template = template("conv3x3_channels"),
    },
    {
        name = "depthwise_conv3x3",
        statement = "3x3 convolution (no padding) of each channel with a filter of its own: o[c,i,j] = sum_{u,v} a[c,i+u,j+v]*w[c,u,v]. "
            .. "A row of a has W+2 values, a channel H+2 rows.",
        spec = "depthwise_conv3x3 {C}x{H}x{W}",
        inputs = { { name = "a", shape = { "C", "H+2", "W+2" } }, { name = "w", shape = { "C", 3, 3 } } },
        outputs = { { name = "o", shape = { "C", "H", "W" } } },
        shapes = { { C = 16, H = 128, W = 128 }, { C = 32, H = 64, W = 128, role = "auxiliary" } },
        terms = 9,
        hidden = { { C = 1, H = 4, W = 64 }, { C = 5, H = 12, W = 192 }, { C = "C+1", H = "H+4", W = "W+64" } },
        multiples = { H = 4, W = 64 }, flops = "9*C*H*W", bytes = "8*C*H*W",
        reference = function(a, w)
            local o = torch.conv2d(torch.unsqueeze(a, 0), torch.unsqueeze(w, 1), { groups = a.shape[1] })
            return torch.squeeze(o, 0)
        end,
        template = template("depthwise"),
    },
    {
        name = "average_pool",
        statement = "Mean of 2x2 windows: o[i,j] = (a[2i,2j]+a[2i,2j+1]+a[2i+1,2j]+a[2i+1,2j+1])/4. A row of a has 2W values.",
        spec = "average_pool {H}x{W}",
        inputs = { { name = "a", shape = { "2*H", "2*W" } } },
        outputs = { { name = "o", shape = { "H", "W" } } },
        shapes = { { H = 128, W = 256 }, { H = 256, W = 128, role = "auxiliary" } },
        terms = 4,
        hidden = { { H = 1, W = 64 }, { H = 7, W = 192 }, { H = "H+1", W = "W+64" } },
        multiples = { W = 64 }, flops = "4*H*W", bytes = "20*H*W",
        reference = function(a) return torch.squeeze(torch.avg_pool2d(torch.unsqueeze(a, 0), 2), 0) end,
        template = template("average_pool"),
    },
    {
        name = "max_pool",
        statement = "Largest value of 2x2 windows: o[i,j] = max(a[2i,2j],a[2i,2j+1],a[2i+1,2j],a[2i+1,2j+1]). A row of a has 2W values.",
        spec = "max_pool {H}x{W}",
        inputs = { { name = "a", shape = { "2*H", "2*W" } } },
        outputs = { { name = "o", shape = { "H", "W" } } },
        shapes = { { H = 64, W = 256 }, { H = 128, W = 128, role = "auxiliary" } },
        terms = 1,
        hidden = { { H = 1, W = 64 }, { H = 7, W = 192 }, { H = "H+1", W = "W+64" } },
        special = { without = { "nan" }, because = "a maximum may drop NaN" },
        multiples = { W = 64 }, flops = "3*H*W", bytes = "20*H*W",
        reference = function(a) return torch.squeeze(torch.max_pool2d(torch.unsqueeze(a, 0), 2), 0) end,
        template = template("max_pool"),
    },
}
