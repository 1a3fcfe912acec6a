-- Convolutions over images (no padding: an image brings its border along) and pooling. Least flops of 3x3 filters over many channels:
-- Winograd's algorithms need 36 multiplications and additions for 16 outputs, half of what the definition needs.
local function image(a) return torch.unsqueeze(a, 0) end
local function squeeze(o) return torch.squeeze(o, 0) end

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
        shapes = { { H = 4096, W = 4096 }, { H = 8192, W = 2048, role = "auxiliary" }, { H = 2048, W = 4096, role = "held-out" } },
        terms = 9,
        hidden = { { H = 1, W = 4 }, { H = 37, W = 140 }, { H = "H+1", W = "W+4" } },
        multiples = { W = 4 }, flops = "9*H*W", bytes = "8*H*W",
        template = function(draw) return require("templates.cuda.stencil").conv3x3(draw) end,
        reference = function(a, w) return squeeze(squeeze(torch.conv2d(image(image(a)), image(image(w))))) end,
    },
    {
        name = "conv3x3_channels",
        statement = "3x3 convolution (no padding) of K channels into M: o[m,i,j] = sum_{k,u,v} a[k,i+u,j+v]*w[m,k,u,v]. "
            .. "A row of a has W+2 values, a channel H+2 rows.",
        spec = "conv3x3_channels {K}x{H}x{W}x{M}",
        inputs = { { name = "a", shape = { "K", "H+2", "W+2" } }, { name = "w", shape = { "M", "K", 3, 3 } } },
        outputs = { { name = "o", shape = { "M", "H", "W" } } },
        shapes = {
            { K = 64, H = 128, W = 128, M = 256 }, { K = 32, H = 128, W = 256, M = 128, role = "auxiliary" },
            { K = 128, H = 64, W = 128, M = 256, role = "held-out" },
        },
        terms = "9*K",
        tolerance = winograd, special = { without = { "nan", "inf" }, because = "Winograd's transforms carry them to neighbours" },
        hidden = { { K = 1, H = 1, W = 4, M = 1 }, { K = 7, H = 13, W = 44, M = 67 }, { K = "K+1", H = "H+1", W = "W+4", M = "M+1" } },
        multiples = { W = 4 }, flops = "9*K*H*W*M/2", bytes = "4*((K+M)*H*W+9*K*M)",
        reference = function(a, w) return squeeze(torch.conv2d(image(a), w)) end,
    },
    {
        name = "conv_bias_relu",
        statement = "3x3 convolution (no padding) of B images of K channels into M, with bias and relu: "
            .. "o[b,m,i,j] = max(sum_{k,u,v} a[b,k,i+u,j+v]*w[m,k,u,v] + c[m], 0). A row of a has W+2 values, a channel H+2 rows.",
        spec = "conv_bias_relu {B}x{K}x{H}x{W}x{M}",
        inputs = {
            { name = "a", shape = { "B", "K", "H+2", "W+2" } }, { name = "w", shape = { "M", "K", 3, 3 } }, { name = "c", shape = { "M" } },
        },
        outputs = { { name = "o", shape = { "B", "M", "H", "W" } } },
        shapes = {
            { B = 16, K = 32, H = 64, W = 64, M = 64 }, { B = 8, K = 64, H = 64, W = 64, M = 64, role = "auxiliary" },
            { B = 32, K = 32, H = 32, W = 64, M = 64, role = "held-out" },
        },
        terms = "9*K",
        tolerance = winograd,
        hidden = {
            { B = 1, K = 1, H = 1, W = 4, M = 1 }, { B = 2, K = 7, H = 13, W = 44, M = 67 },
            { B = "B+1", K = "K+1", H = "H+1", W = "W+4", M = "M+1" },
        },
        special = { without = { "nan", "inf" }, because = "Winograd's transforms carry them to neighbours, and max(t, 0) may drop NaN" },
        multiples = { W = 4 }, flops = "9*B*K*H*W*M/2", bytes = "4*(B*(K+M)*H*W+9*K*M)",
        reference = function(a, w, c) return torch.relu(torch.conv2d(a, w, c)) end,
    },
    {
        name = "grouped_conv",
        statement = "3x3 convolution (no padding) in G groups of 16 channels: "
            .. "o[m,i,j] = sum_{k<16,u,v} a[16*(m/16)+k,i+u,j+v]*w[m,k,u,v], m/16 rounded down. A row of a has W+2 values.",
        spec = "grouped_conv {G}x16x{H}x{W}",
        inputs = { { name = "a", shape = { "16*G", "H+2", "W+2" } }, { name = "w", shape = { "16*G", 16, 3, 3 } } },
        outputs = { { name = "o", shape = { "16*G", "H", "W" } } },
        shapes = {
            { G = 16, H = 128, W = 128 }, { G = 8, H = 128, W = 256, role = "auxiliary" }, { G = 32, H = 64, W = 128, role = "held-out" },
        },
        terms = 144,
        tolerance = winograd, special = { without = { "nan", "inf" }, because = "Winograd's transforms carry them to neighbours" },
        hidden = { { G = 1, H = 1, W = 4 }, { G = 3, H = 37, W = 44 }, { G = "G+1", H = "H+1", W = "W+4" } },
        multiples = { W = 4 }, flops = "9*16*16*G*H*W/2", bytes = "4*16*G*(2*H*W+9*16)",
        reference = function(a, w) return squeeze(torch.conv2d(image(a), w, { groups = a.shape[1] // 16 })) end,
    },
    {
        name = "depthwise_conv3x3",
        statement = "3x3 convolution (no padding) of each channel with a filter of its own: o[c,i,j] = sum_{u,v} a[c,i+u,j+v]*w[c,u,v]. "
            .. "A row of a has W+2 values, a channel H+2 rows.",
        spec = "depthwise_conv3x3 {C}x{H}x{W}",
        inputs = { { name = "a", shape = { "C", "H+2", "W+2" } }, { name = "w", shape = { "C", 3, 3 } } },
        outputs = { { name = "o", shape = { "C", "H", "W" } } },
        shapes = {
            { C = 128, H = 256, W = 256 }, { C = 512, H = 128, W = 128, role = "auxiliary" }, { C = 64, H = 256, W = 512, role = "held-out" },
        },
        terms = 9,
        hidden = { { C = 1, H = 1, W = 4 }, { C = 5, H = 37, W = 44 }, { C = "C+1", H = "H+1", W = "W+4" } },
        multiples = { W = 4 }, flops = "9*C*H*W", bytes = "8*C*H*W",
        template = function(draw) return require("templates.cuda.stencil").depthwise_conv3x3(draw) end,
        reference = function(a, w) return squeeze(torch.conv2d(image(a), torch.unsqueeze(w, 1), { groups = a.shape[1] })) end,
    },
    {
        name = "conv1x1",
        statement = "1x1 convolution of K channels into M: o[m,i,j] = sum_k a[k,i,j]*w[m,k].",
        spec = "conv1x1 {K}x{H}x{W}x{M}",
        inputs = { { name = "a", shape = { "K", "H", "W" } }, { name = "w", shape = { "M", "K" } } },
        outputs = { { name = "o", shape = { "M", "H", "W" } } },
        shapes = {
            { K = 256, H = 128, W = 128, M = 256 }, { K = 128, H = 128, W = 128, M = 512, role = "auxiliary" },
            { K = 512, H = 64, W = 128, M = 256, role = "held-out" },
        },
        terms = "K",
        hidden = { { K = 4, H = 1, W = 4, M = 1 }, { K = 52, H = 7, W = 44, M = 37 }, { K = "K+4", H = "H+1", W = "W+4", M = "M+1" } },
        multiples = { K = 4, W = 4 }, flops = "(2*K-1)*H*W*M", bytes = "4*((K+M)*H*W+K*M)",
        template = function(draw) return require("templates.cuda.matmul").conv1x1(draw) end,
        reference = function(a, w) return squeeze(torch.conv2d(image(a), torch.unsqueeze(torch.unsqueeze(w, 2), 3))) end,
    },
    {
        name = "transposed_conv2d",
        statement = "Transposed 4x4 convolution of K channels into M with stride 2 and padding 1, which doubles height and width: "
            .. "o[m,y,x] is the sum of a[k,i,j]*w[k,m,u,v] over all k,i,j,u,v with y = 2i+u-1 and x = 2j+v-1.",
        spec = "transposed_conv2d {K}x{H}x{W}x{M}",
        inputs = { { name = "a", shape = { "K", "H", "W" } }, { name = "w", shape = { "K", "M", 4, 4 } } },
        outputs = { { name = "o", shape = { "M", "2*H", "2*W" } } },
        shapes = {
            { K = 64, H = 128, W = 128, M = 64 }, { K = 128, H = 64, W = 128, M = 64, role = "auxiliary" },
            { K = 32, H = 128, W = 256, M = 64, role = "held-out" },
        },
        terms = "4*K",
        hidden = { { K = 1, H = 1, W = 4, M = 1 }, { K = 7, H = 13, W = 44, M = 37 }, { K = "K+1", H = "H+1", W = "W+4", M = "M+1" } },
        special = { without = { "nan", "inf" }, because = "whether the border's zeros take part in a sum is open" },
        multiples = { W = 4 }, flops = "12*K*H*W*M", bytes = "4*(K*H*W+4*M*H*W+16*K*M)",
        reference = function(a, w) return squeeze(torch.conv_transpose2d(image(a), w, { stride = 2, padding = 1 })) end,
    },
    {
        name = "conv3d_min_softmax",
        statement = "3x3x3 convolution (no padding) of 3 channels into 16, its minimum over depth, and a softmax over the channels: "
            .. "t[b,m,d,i,j] = c[m] + sum_{k,u,v,x} a[b,k,d+u,i+v,j+x]*w[m,k,u,v,x], s = min_d t, o[b,:,i,j] = softmax(s[b,:,i,j]). "
            .. "a has D+2 planes of H+2 rows of W+2 values.",
        spec = "conv3d_min_softmax {B}x3x{D}x{H}x{W}x16",
        inputs = {
            { name = "a", shape = { "B", 3, "D+2", "H+2", "W+2" } }, { name = "w", shape = { 16, 3, 3, 3, 3 }, law = "normal(0.1)" },
            { name = "c", shape = { 16 }, law = "normal(0.1)" },
        },
        outputs = { { name = "o", shape = { "B", 16, "H", "W" } } },
        shapes = {
            { B = 128, D = 16, H = 32, W = 32 }, { B = 64, D = 16, H = 32, W = 64, role = "auxiliary" },
            { B = 128, D = 8, H = 32, W = 64, role = "held-out" },
        },
        terms = 81, tolerance = winograd,
        hidden = { { B = 1, D = 1, H = 1, W = 4 }, { B = 3, D = 5, H = 7, W = 20 }, { B = "B+1", D = "D+1", H = "H+1", W = "W+4" } },
        special = { without = { "nan", "inf" }, because = "a minimum may drop NaN, which differences of infinities are" },
        multiples = { W = 4 }, flops = "81*16*B*D*H*W/4", bytes = "4*B*H*W*(3*D+16)",
        larger = false,  -- a softmax of sums: of two nearly equal ones either may be all
        reference = function(a, w, c) return torch.softmax(torch.amin(torch.conv3d(a, w, c), 2), 1) end,
    },
    {
        name = "average_pool",
        statement = "Mean of 2x2 windows: o[i,j] = (a[2i,2j]+a[2i,2j+1]+a[2i+1,2j]+a[2i+1,2j+1])/4. A row of a has 2W values.",
        spec = "average_pool {H}x{W}",
        inputs = { { name = "a", shape = { "2*H", "2*W" } } },
        outputs = { { name = "o", shape = { "H", "W" } } },
        shapes = { { H = 2048, W = 2048 }, { H = 4096, W = 1024, role = "auxiliary" }, { H = 1024, W = 4096, role = "held-out" } },
        terms = 4,
        hidden = { { H = 1, W = 4 }, { H = 37, W = 140 }, { H = "H+1", W = "W+4" } },
        multiples = { W = 4 }, flops = "4*H*W", bytes = "20*H*W",
        template = function(draw) return require("templates.cuda.stencil").average_pool(draw) end,
        reference = function(a) return squeeze(torch.avg_pool2d(image(a), 2)) end,
    },
    {
        name = "max_pool",
        statement = "Largest value of 2x2 windows: o[i,j] = max(a[2i,2j],a[2i,2j+1],a[2i+1,2j],a[2i+1,2j+1]). A row of a has 2W values.",
        spec = "max_pool {H}x{W}",
        inputs = { { name = "a", shape = { "2*H", "2*W" } } },
        outputs = { { name = "o", shape = { "H", "W" } } },
        shapes = { { H = 2048, W = 2048 }, { H = 4096, W = 1024, role = "auxiliary" }, { H = 1024, W = 4096, role = "held-out" } },
        terms = 1,
        hidden = { { H = 1, W = 4 }, { H = 37, W = 140 }, { H = "H+1", W = "W+4" } },
        special = { without = { "nan" }, because = "a maximum may drop NaN" },
        multiples = { W = 4 }, flops = "3*H*W", bytes = "20*H*W",
        template = function(draw) return require("templates.cuda.stencil").max_pool(draw) end,
        reference = function(a) return squeeze(torch.max_pool2d(image(a), 2)) end,
    },
    {
        name = "global_average_pool",
        statement = "Mean of every channel of every image: o[b,c] = sum_{i,j} a[b,c,i,j] / (H*W).",
        spec = "global_average_pool {B}x{C}x{H}x{W}",
        inputs = { { name = "a", shape = { "B", "C", "H", "W" } } },
        outputs = { { name = "o", shape = { "B", "C" } } },
        shapes = {
            { B = 64, C = 512, H = 32, W = 32 }, { B = 32, C = 256, H = 64, W = 64, role = "auxiliary" },
            { B = 64, C = 2048, H = 16, W = 16, role = "held-out" },
        },
        terms = { "H", "W" },
        hidden = { { B = 1, C = 1, H = 1, W = 4 }, { B = 3, C = 37, H = 7, W = 20 }, { B = "B+1", C = "C+1", H = "H+1", W = "W+4" } },
        multiples = { W = 4 }, flops = "B*C*H*W", bytes = "4*B*C*(H*W+1)",
        reference = function(a) return torch.mean(a, { 2, 3 }) end,
    },
}
