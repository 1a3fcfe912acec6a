-- Chains of elementwise operations, o = act(inner) outer: relu(a*b)+c and its relatives. Six are trained on; others lend the teacher
-- variety (auxiliary) or tell whether a combination never seen can be written (held-out).

local acts = {
    relu = function(t) return torch.relu(t) end,
    sigmoid = function(t) return torch.sigmoid(t) end,
    tanh = function(t) return torch.tanh(t) end,
    silu = function(t) return torch.silu(t) end,
    exp = function(t) return torch.exp(t) end,
    abs = function(t) return torch.abs(t) end,
    square = function(t) return torch.square(t) end,
    gelu = function(t) return torch.gelu(t, { approximate = "tanh" }) end,
}
-- Such an activation may be a difference of two numbers near 1, by way of tanh; a huge factor beside it shows how these were rounded.
local gates = { sigmoid = true, silu = true, gelu = true, tanh = true }
local words = { ["+"] = "add", ["-"] = "sub", ["*"] = "mul" }

local function apply(op, x, y)
    if op == "+" then return x + y end
    if op == "-" then return x - y end
    return x * y
end

-- inner and outer are operations or "" for none: ("*", "relu", "+") is relu(a*b)+c, named mul_relu_add.
local function chain(inner, act, outer, role)
    local last = inner == "" and "b" or "c"
    local first = inner == "" and "a" or "a" .. inner .. "b"
    local after = outer == "" and "" or outer .. last
    local inputs = { { name = "a", shape = { "N" } } }
    if inner ~= "" then inputs[#inputs + 1] = { name = "b", shape = { "N" } } end
    if outer ~= "" then inputs[#inputs + 1] = { name = last, shape = { "N" } } end
    local name = (words[inner] and words[inner] .. "_" or "") .. act .. (words[outer] and "_" .. words[outer] or "")
    local meaning = { gelu = "; gelu is the tanh approximation", silu = "; silu(t) = t*sigmoid(t)", square = "; square(t) = t*t" }
    return {
        name = name,
        role = role,
        statement = ("Element by element over N values: o = %s(%s)%s%s."):format(act, first, after, meaning[act] or ""),
        spec = ("%s(%s)%s n={N}"):format(act, first, after),
        inputs = inputs,
        outputs = { { name = "o", shape = { "N" } } },
        shapes = { { N = 393216 } },
        terms = 1,
        tolerance = gates[act] and outer == "*" and { class = "f32", roundings = 60 } or nil,
        hidden = { { N = 1024 }, { N = 7168 }, { N = "N+1024" } },
        multiples = { N = 1024 },
        special = act == "relu" and { without = { "nan", "inf" }, because = "max(t, 0) may drop NaN, which infinities make with zeros" }
            or act == "tanh" and { without = { "denormal" }, because = "tanh of a denormal number may be 0, which times infinity is NaN" }
            or nil,
        flops = (#inputs - 1) .. "*N", -- those between inputs: an activation may need none (abs, relu)
        bytes = 4 * (#inputs + 1) .. "*N",
        reference = function(a, b, c)
            local t = inner == "" and a or apply(inner, a, b)
            t = acts[act](t)
            if outer == "" then return t end
            return apply(outer, t, inner == "" and b or c)
        end,
        template = function(draw) return require("templates.elementwise").chain(first, act, after)(draw) end,
    }
end

local tasks = {
    chain("*", "relu", "+"), chain("", "sigmoid", "*"), chain("+", "tanh", "*"), chain("", "silu", "*"), chain("-", "abs", "*"),
        chain("+", "gelu", ""),
    chain("-", "relu", "*", "held-out"), chain("+", "sigmoid", "*", "held-out"), chain("*", "silu", "+", "held-out"), chain("", "tanh",
        "-", "held-out"),
}

local auxiliary = {
    { "", "relu", "*" }, { "", "tanh", "*" }, { "", "gelu", "*" }, { "", "exp", "-" }, { "", "abs", "+" }, { "", "silu", "" }, { "",
        "square", "-" },
    { "+", "relu", "" }, { "+", "relu", "-" }, { "+", "silu", "*" }, { "+", "exp", "*" }, { "+", "abs", "-" }, { "+", "square", "" },
        { "+", "sigmoid", "" },
    { "*", "sigmoid", "+" }, { "*", "tanh", "-" }, { "*", "exp", "-" }, { "*", "gelu", "+" }, { "*", "abs", "" }, { "*", "square",
        "+" }, { "*", "tanh", "" },
    { "-", "silu", "" }, { "-", "square", "*" }, { "-", "tanh", "+" }, { "-", "sigmoid", "*" }, { "-", "gelu", "" },
}
for _, c in ipairs(auxiliary) do tasks[#tasks + 1] = chain(c[1], c[2], c[3], "auxiliary") end
return tasks
