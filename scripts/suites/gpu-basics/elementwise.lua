-- Element-wise work, fused and not: a candidate makes one pass over memory where ATen makes one for each operator. The timed sizes move about
-- 100 MB, so that the L2 cannot hold them and a kernel lasts 25 us and more.
local hidden = { { N = 1 }, { N = 10007 }, { N = "N+1" } }
local tanh_special = { without = { "denormal" }, because = "tanh of a denormal number may be 0, which times infinity is NaN" }
local relu_special = { without = { "nan", "inf" }, because = "max(t, 0) may drop NaN, which infinities make with zeros" }

-- A sigmoid or a tanh may be a difference of two numbers near 1; a huge factor beside it shows how these were rounded.
local gate = { class = "f32", roundings = 60 }

local function shapes(n) return { { N = n }, { N = n // 2, role = "auxiliary" }, { N = n // 4 * 3, role = "held-out" } } end

local function vectors(...)
    local list = {}
    for i, name in ipairs { ... } do list[i] = { name = name, shape = { "N" } } end
    return list
end

-- Two or three inputs, one output, all of N elements. flops: least for an element, transcendental functions counting as one.
local function pointwise(name, statement, n, flops, reference, special, tolerance)
    local inputs = n == 3 and vectors("a", "b", "c") or vectors("a", "b")
    return {
        name = name,
        statement = "Element by element over N values: " .. statement,
        spec = name .. " {N}",
        inputs = inputs,
        outputs = vectors("o"),
        shapes = shapes(n == 3 and 6291456 or 8388608),
        terms = 1,
        hidden = hidden,
        special = special, tolerance = tolerance,
        flops = flops .. "*N", bytes = 4 * (n + 1) .. "*N",
        template = function(draw) return require("templates.cuda.elementwise")[name](draw) end,
        reference = reference,
    }
end

return {
    pointwise("axpy", "o = 2.5*a+b.", 2, 2, function(a, b) return torch.add(b, a, { alpha = 2.5 }) end),
    pointwise("mul_relu_add", "o = relu(a*b)+c.", 3, 2, function(a, b, c) return torch.relu(a * b) + c end, relu_special),
    pointwise("sigmoid_mul", "o = sigmoid(a)*b.", 2, 4, function(a, b) return torch.sigmoid(a) * b end, nil, gate),
    pointwise("add_tanh_mul", "o = tanh(a+b)*c.", 3, 3, function(a, b, c) return torch.tanh(a + b) * c end, tanh_special, gate),
    pointwise("silu_mul", "o = silu(a)*b; silu(t) = t*sigmoid(t).", 2, 5, function(a, b) return torch.silu(a) * b end, nil, gate),
    pointwise("sub_abs_mul", "o = abs(a-b)*c.", 3, 2, function(a, b, c) return torch.abs(a - b) * c end),
    pointwise("add_gelu", "o = gelu(a+b); gelu is the tanh approximation.", 2, 7,
        function(a, b) return torch.gelu(a + b, { approximate = "tanh" }) end),
    {
        name = "gated",
        statement = "Gated sum: o[i] = a[i] * sigmoid(a[i]) * b[i] + c[i].",
        spec = "gated {N}",
        inputs = {
            { name = "a", shape = { "N" }, law = "normal(2)" }, { name = "b", shape = { "N" } }, { name = "c", shape = { "N" } },
        },
        outputs = vectors("o"),
        shapes = shapes(6291456),
        terms = 1, tolerance = gate,
        hidden = hidden,
        flops = "6*N", bytes = "16*N",
        template = function(draw) return require("templates.cuda.elementwise").gated(draw) end,
        reference = function(a, b, c) return torch.silu(a) * b + c end,
    },
    {
        name = "gelu",
        statement = "The tanh approximation of gelu: o[i] = 0.5*a[i]*(1+tanh(0.7978845608*(a[i]+0.044715*a[i]^3))).",
        spec = "gelu {N}",
        inputs = { { name = "a", shape = { "N" }, law = "normal(2)" } },
        outputs = vectors("o"),
        shapes = shapes(12582912),
        terms = 1,
        hidden = hidden,
        flops = "7*N", bytes = "8*N",
        template = function(draw) return require("templates.cuda.elementwise").gelu(draw) end,
        reference = function(a) return torch.gelu(a, { approximate = "tanh" }) end,
    },
    {
        name = "silu_mul_half",
        statement = "Gate in half precision: o[i] = a[i]*sigmoid(a[i])*b[i], inputs and output f16.",
        spec = "silu_mul_half {N}",
        inputs = { { name = "a", dtype = "f16", shape = { "N" }, law = "normal(2)" }, { name = "b", dtype = "f16", shape = { "N" } } },
        outputs = { { name = "o", dtype = "f16", shape = { "N" } } },
        shapes = shapes(16777216),
        hidden = hidden,
        tolerance = "f16",
        flops = "5*N", bytes = "6*N",
        reference = function(a, b) return torch.silu(a) * b end,
    },
    {
        name = "adam_step",
        statement = "One step of Adam without bias correction on parameters a with gradient g and moments m, v: q = 0.9*m+0.1*g, "
            .. "w = 0.999*v+0.001*g^2, p = a-0.1*q/(sqrt(w)+1e-8).",
        spec = "adam_step {N}",
        inputs = {
            { name = "a", shape = { "N" } }, { name = "g", shape = { "N" } }, { name = "m", shape = { "N" } },
            { name = "v", shape = { "N" }, law = "uniform(0.5,0.6)", strict = true },
        },
        outputs = { { name = "p", shape = { "N" } }, { name = "q", shape = { "N" } }, { name = "w", shape = { "N" } } },
        shapes = shapes(4194304),
        terms = 1,
        hidden = hidden,
        flops = "11*N", bytes = "28*N",
        reference = function(a, g, m, v)
            local q = torch.add(m * 0.9, g, { alpha = 0.1 })
            local w = torch.addcmul(v * 0.999, g, g, { value = 0.001 })
            return torch.addcdiv(a, q, torch.sqrt(w) + 1e-8, { value = -0.1 }), q, w
        end,
    },
}
