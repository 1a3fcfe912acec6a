-- The template teacher's programs: well formed, and so many of them that chance does not find the best.
-- Run: hone run tests/lua/templates_test.lua, or LUA_PATH=scripts/?.lua lua5.4 tests/lua/templates_test.lua
local enough = 10000

local tasks = {
    mul_relu_add = require("templates.elementwise").chain("a*b", "relu", "+c"),
        sigmoid_mul = require("templates.elementwise").chain("a", "sigmoid", "*b"),
    add_tanh_mul = require("templates.elementwise").chain("a+b", "tanh", "*c"), silu_mul = require("templates.elementwise").chain("a",
        "silu", "*b"),
    sub_abs_mul = require("templates.elementwise").chain("a-b", "abs", "*c"), add_gelu = require("templates.elementwise").chain("a+b",
        "gelu", ""),
}
for _, family in ipairs { "rows", "columns", "matmul", "stencil", "scan", "movement", "losses", "attention" } do
    for name, template in pairs(require("templates." .. family)) do tasks[family .. "." .. name] = template end
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

local function well_formed(text)
    local depth = 0
    for c in text:gmatch("[{}]") do
        depth = depth + (c == "{" and 1 or -1)
        if depth < 0 then return false end
    end
    return depth == 0 and text:sub(1,
        18) == 'extern "C" void k(' and text:sub(-2) == "}\n" and not text:find("\n[ \t]") and not text:find("$", 1, true)
end

local count = 0
for name, template in pairs(tasks) do
    local tape, texts, distinct, likeliest = {}, {}, 0, 0
    while tape and distinct <= enough do
        local draw = taped(tape)
        local text = template(draw)
        if not texts[text] then
            assert(well_formed(text), name .. " writes a malformed program:\n" .. text)
            texts[text], distinct = true, distinct + 1
            -- prompts show them as they are
            local canonical = rawget(_G, "canonical") -- of tests/unit/scripts_test.cpp
            if distinct < 100 and canonical then assert(canonical(text) .. "\n" == text, name .. " is changed in prompts:\n" .. text) end
        end
        likeliest = math.max(likeliest, draw.probability)
        tape = advance(tape, draw)
    end
    assert(distinct > enough, ("%s has only %d programs"):format(name, distinct))
    assert(likeliest < 0.05, ("%s writes one program with probability %.3f"):format(name, likeliest))
    count = count + 1
end
print(("templates: %d tasks, each with more than %d programs"):format(count, enough))
