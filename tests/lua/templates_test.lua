-- The template teacher's programs: well formed, and so many of them that chance does not find the best.
-- Run: hone run tests/lua/templates_test.lua, or LUA_PATH=scripts/?.lua lua5.4 tests/lua/templates_test.lua
local tasks = {}
local function add(language, enough, name, write) tasks[name] = { language = language, enough = enough, write = write } end

for name, chain in pairs {
    mul_relu_add = { "a*b", "relu", "+c" }, sigmoid_mul = { "a", "sigmoid", "*b" }, add_tanh_mul = { "a+b", "tanh", "*c" },
    silu_mul = { "a", "silu", "*b" }, sub_abs_mul = { "a-b", "abs", "*c" }, add_gelu = { "a+b", "gelu", "" },
} do add("cpp", 10000, name, require("templates.elementwise").chain(table.unpack(chain))) end
for _, family in ipairs { "rows", "columns", "matmul", "stencil", "scan", "movement", "losses", "attention" } do
    for name, write in pairs(require("templates." .. family)) do add("cpp", 10000, family .. "." .. name, write) end
end
for _, family in ipairs { "elementwise", "rows", "columns", "matmul", "stencil", "scan", "movement", "losses", "matrices" } do
    for name, write in pairs(require("templates.cuda." .. family)) do add("cuda", 300, "cuda." .. family .. "." .. name, write) end
end

-- Answers every pick from a tape; past its end the first choice is taken and noted.
local function taped(tape)
    local draw = { position = 0, widths = {}, probability = 1 }
    function draw:pick(list, weights)
        local open, total = {}, 0
        for i = 1, #list do
            total = total + weights[i]
            if weights[i] > 0 then open[#open + 1] = i end
        end
        self.position = self.position + 1
        local choice = tape[self.position] or 1
        tape[self.position], self.widths[self.position] = choice, #open
        self.probability = self.probability * weights[open[choice]] / total
        return list[open[choice]], open[choice] -- as rng:pick does
    end
    return draw
end

-- The next tape in counting order; nil at the end.
local function advance(tape, draw)
    for position = #tape, draw.position + 1, -1 do tape[position] = nil end
    for position = draw.position, 1, -1 do
        if tape[position] < draw.widths[position] then
            tape[position] = tape[position] + 1
            for later = position + 1, #tape do tape[later] = nil end
            return tape
        end
    end
end

local function balanced(text)
    local depth = 0
    for c in text:gmatch("[{}]") do
        depth = depth + (c == "{" and 1 or -1)
        if depth < 0 then return false end
    end
    return depth == 0
end

local openings = { cpp = '^extern "C" void k%(', cuda = 'extern "C" __global__ void[%w_ ()]* k%(' }

-- Every kernel that a plan launches is there, with a grid and a block that a device takes.
local function launches(plan, code)
    local sizes = setmetatable({ ceil_div = function(a, b) return (a + b - 1) // b end, min = math.min }, {
        __index = function(_, name) return #name == 1 and name == name:upper() and 193 or error("the plan asks for " .. name) end,
    })
    local function product(size)
        local n = 1
        for _, x in ipairs(type(size) == "table" and size or { size }) do n = n * (math.type(x) == "integer" and x > 0 and x or error "size") end
        return n
    end
    for _, step in ipairs(assert(load(plan, "plan", "t", sizes))()) do
        local threads = step.set and 32 or product(step.block)
        if not step.set then assert(code:find("%f[%w]" .. step.kernel .. "%(") and product(step.grid) > 0, "kernel or grid") end
        assert(step.set == "o" or step.kernel and threads % 32 == 0 or threads == 1 or threads <= 1024, "block")
        assert(threads <= 1024 and (step.shared or 0) <= 232448, "more than a block can have")
    end
end

local function check(task, text)
    local code, plan = text:match("^(.-\n)```lua\n(.*)$")
    code = code or text
    assert(balanced(code) and code:find(openings[task.language]) and code:sub(-2) == "}\n", "malformed")
    assert(not text:find("\n[ \t\n]") and not text:find("$", 1, true), "a blank line, an indented one, or a value left out")
    if plan then launches(plan, code) end
    return code, plan
end

-- Prompts show programs in their canonical text, which must be the same.
local function check_shown(task, code, plan)
    local canonical = rawget(_G, "canonical") -- of tests/unit/lua/scripts_test.cpp
    if not canonical then return end
    assert(canonical(task.language, code) .. "\n" == code, "the code is changed in prompts")
    assert(not plan or canonical("lua", plan) .. "\n" == plan, "the plan is changed in prompts")
end

local function with_text(name, text, ...)
    local fine, fault = pcall(...)
    assert(fine, name .. ": " .. tostring(fault) .. ":\n" .. text)
end

-- Texts of a template in counting order, and the probability of the likeliest.
local function walk(name, task)
    local tape, texts, distinct, likeliest = {}, {}, 0, 0
    while tape and distinct <= task.enough do
        local draw = taped(tape)
        local text = task.write(draw)
        if not texts[text] then
            texts[text], distinct = true, distinct + 1
            with_text(name, text, function()
                local code, plan = check(task, text)
                if distinct < 100 then check_shown(task, code, plan) end
            end)
        end
        likeliest = math.max(likeliest, draw.probability)
        tape = advance(tape, draw)
    end
    return distinct, likeliest
end

-- Lehmer's generator: the same draws each time.
local state = 1
local random = { pick = function(_, list, weights)
    local total = 0
    for i = 1, #list do total = total + weights[i] end
    state = state * 48271 % 2147483647
    local left = state / 2147483647 * total
    for i = 1, #list do
        left = left - weights[i]
        if left < 0 then return list[i], i end
    end
    return list[#list], #list
end }

-- A sample of the CUDA programs through a compiler, in place of all else.
local function compile_samples(compile)
    for name, task in pairs(tasks) do
        for _ = 1, task.language == "cuda" and 2 or 0 do
            local text = task.write(random)
            with_text(name, text, function() assert(compile(text:match("^(.-\n)```lua\n") or text)) end)
        end
    end
end

local compile = rawget(_G, "compile") -- of tests/unit/plugins/cuda_templates_test.cpp: true, or nil and the compiler's message
if compile then return compile_samples(compile) end

local count = 0
for name, task in pairs(tasks) do
    local distinct, likeliest = walk(name, task)
    assert(distinct > task.enough, ("%s has only %d programs"):format(name, distinct))
    assert(likeliest < 0.05, ("%s writes one program with probability %.3f"):format(name, likeliest))
    for _ = 1, task.language == "cuda" and 200 or 0 do -- the walk varies the last choices only
        local text = task.write(random)
        with_text(name, text, function() check_shown(task, check(task, text)) end)
    end
    count = count + 1
end
print(("templates: %d tasks, each with more than %d programs in C++, %d in CUDA"):format(count, 10000, 300))
