-- One task for each operator of library steps, by the name of its plan in ../library_steps.lua. Whether a step and the definition agree is the
-- question, so sizes are such that a call is long enough for the clocks and no longer.
local function tensor(name, shape, dtype) return { name = name, shape = shape, dtype = dtype, law = dtype and "normal(0.3)" or nil } end

local function task(name, inputs, output, sizes, hidden, terms, reference, more)
    local made = {
        name = name, statement = "torch." .. name .. " as a library step.", spec = name, inputs = inputs, outputs = { output },
        shapes = { sizes }, hidden = hidden, terms = terms, reference = reference,
        special = { without = { "nan", "inf" }, because = "algorithms of cuDNN carry them to neighbours" },
        larger = false, tolerance = { class = "f32", roundings = 1000 },
    }
    for key, value in pairs(more or {}) do made[key] = value end
    return made
end

local MKN = { M = 1024, K = 768, N = 1280 }
local small = { { M = 1, K = 4, N = 4 }, { M = 37, K = 52, N = 140 } }
local function exact(dtype) return { tolerance = dtype, larger = true } end
local image, images = { B = 8, C = 32, H = 56, W = 56, M = 64 }, { { B = 1, C = 2, H = 5, W = 7, M = 4 }, { B = 3, C = 8, H = 13, W = 20, M = 10 } }

return {
    task("matmul", { tensor("a", { "M", "K" }), tensor("b", { "K", "N" }) }, tensor("o", { "M", "N" }), MKN, small, "K",
        function(a, b) return torch.matmul(a, b) end, exact("f32")),
    task("mm_tf32", { tensor("a", { "M", "K" }), tensor("b", { "K", "N" }) }, tensor("o", { "M", "N" }), { M = 2048, K = 2048, N = 2048 }, small, "K",
        function(a, b) return torch.matmul(a, b) end, exact("tf32")),
    task("mm_bf16", { tensor("a", { "M", "K" }, "bf16"), tensor("b", { "K", "N" }, "bf16") }, tensor("o", { "M", "N" }, "bf16"),
        { M = 2048, K = 2048, N = 2048 }, small, "K", function(a, b) return torch.matmul(a, b) end, exact("bf16")),
    task("bmm", { tensor("a", { "B", "M", "K" }), tensor("b", { "B", "N", "K" }) }, tensor("o", { "B", "M", "N" }),
        { B = 12, M = 384, K = 256, N = 320 }, { { B = 1, M = 1, K = 4, N = 4 }, { B = 3, M = 37, K = 52, N = 36 } }, "K",
        function(a, b) return torch.matmul(a, torch.transpose(b, 1, 2)) end, exact("f32")),
    task("addmm", { tensor("c", { "N" }), tensor("a", { "M", "K" }), tensor("b", { "K", "N" }) }, tensor("o", { "M", "N" }), MKN, small, "K",
        function(c, a, b) return torch.addmm(c, a, b, { beta = 0.5, alpha = 2 }) end, exact("f32")),
    task("linear", { tensor("x", { "B", "M", "K" }), tensor("w", { "N", "K" }), tensor("c", { "N" }) }, tensor("o", { "B", "M", "N" }),
        { B = 4, M = 512, K = 768, N = 512 }, { { B = 1, M = 1, K = 4, N = 4 }, { B = 3, M = 37, K = 52, N = 140 } }, "K",
        function(x, w, c) return torch.linear(x, w, c) end, exact("f32")),
    task("conv1d", { tensor("x", { "B", "C", "H" }), tensor("w", { "M", "C", 5 }) }, tensor("o", { "B", "M", "H" }),
        { B = 16, C = 64, H = 2048, M = 64 }, { { B = 1, C = 2, H = 5, M = 4 }, { B = 3, C = 8, H = 130, M = 10 } }, "5*C",
        function(x, w) return torch.conv1d(x, w, { padding = 2 }) end),
    task("conv2d", { tensor("x", { "B", "C", "2*H", "2*W" }), tensor("w", { "M", "C", 3, 3 }), tensor("c", { "M" }) }, tensor("o", { "B", "M", "H", "W" }),
        image, images, "9*C", function(x, w, c) return torch.conv2d(x, w, c, { stride = 2, padding = 1 }) end),
    task("conv2d_depthwise", { tensor("x", { "B", "M", "H", "W" }), tensor("w", { "M", 1, 3, 3 }) }, tensor("o", { "B", "M", "H", "W" }),
        { B = 32, H = 56, W = 56, M = 128 }, { { B = 1, H = 5, W = 7, M = 4 } }, 9,
        function(x, w) return torch.conv2d(x, w, { padding = 1, groups = x.shape[2] }) end),
    task("conv2d_channels_last", { tensor("x", { "B", "H", "W", "C" }, "f16"), tensor("w", { "M", 3, 3, "C" }, "f16") },
        tensor("o", { "B", "H", "W", "M" }, "f16"), { B = 16, C = 64, H = 56, W = 56, M = 64 },
        { { B = 1, C = 8, H = 5, W = 7, M = 8 }, { B = 3, C = 16, H = 13, W = 20, M = 24 } }, "9*C",
        function(x, w) return torch.permute(torch.conv2d(torch.permute(x, { 0, 3, 1, 2 }), torch.permute(w, { 0, 3, 1, 2 }), { padding = 1 }), { 0, 2, 3, 1 }) end,
        { tolerance = "f16", multiples = { C = 8, M = 8 } }),
    task("conv3d", { tensor("x", { "B", "C", "D+2", "H+2", "W+2" }), tensor("w", { "M", "C", 3, 3, 3 }) }, tensor("o", { "B", "M", "D", "H", "W" }),
        { B = 4, C = 8, D = 16, H = 32, W = 32, M = 16 }, { { B = 1, C = 1, D = 1, H = 3, W = 4, M = 2 }, { B = 2, C = 3, D = 5, H = 7, W = 9, M = 5 } }, "27*C",
        function(x, w) return torch.conv3d(x, w) end),
    task("conv_transpose2d", { tensor("x", { "B", "C", "H", "W" }), tensor("w", { "C", "M", 4, 4 }), tensor("c", { "M" }) },
        tensor("o", { "B", "M", "2*H", "2*W" }), { B = 8, C = 32, H = 32, W = 32, M = 32 }, { { B = 1, C = 1, H = 3, W = 4, M = 2 }, { B = 2, C = 5, H = 9, W = 7, M = 6 } },
        "16*C", function(x, w, c) return torch.conv_transpose2d(x, w, c, { stride = 2, padding = 1 }) end),
    task("attention", { tensor("q", { "B", 8, "M", 64 }, "f16"), tensor("k", { "B", 8, "M", 64 }, "f16"), tensor("v", { "B", 8, "M", 64 }, "f16") },
        tensor("o", { "B", 8, "M", 64 }, "f16"), { B = 4, M = 1024 }, { { B = 1, M = 16 }, { B = 2, M = 80 } }, "M",
        function(q, k, v) return torch.scaled_dot_product_attention(q, k, v, { is_causal = true }) end, { tolerance = "f16", multiples = { M = 16 } }),
}
