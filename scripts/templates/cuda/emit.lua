-- Pieces from which the template teacher writes CUDA: kernels and, after a line ```lua, their launch plan. As in templates/emit.lua the text
-- is for a tiny model: statements in their own lines, no indentation.
local base = require "templates.emit"
local emit = { flag = base.flag, mistake = base.mistake, repeated = base.repeated, plus = base.plus }

local function unroll(draw)
    return (draw:pick({ "", "#pragma unroll", "#pragma unroll 4", "#pragma unroll 8" }, { 55, 15, 15, 15 }))
end

-- As base.text; $unroll is drawn anew wherever it stands.
function emit.text(draw, text, values)
    return base.text(draw, text, setmetatable({}, { __index = function(_, name)
        return name == "unroll" and unroll(draw) or values and values[name]
    end }))
end

-- Threads of a block.
function emit.block(draw)
    return (draw:pick({ 64, 128, 256, 512, 1024 }, { 15, 25, 30, 20, 10 }))
end

function emit.exponential(draw)
    return (draw:pick({ "__expf", "expf" }, { 50, 50 }))
end

-- So many values side by side: their type and the names of its members.
emit.vectors = { [1] = { type = "float", "" }, [2] = { type = "float2", ".x", ".y" }, [4] = { type = "float4", ".x", ".y", ".z", ".w" } }

-- The values of `name` that an index counted in such vectors finds; hint: nothing or an intrinsic for loads.
function emit.load(width, name, index, hint)
    if width == 1 and (hint or "") == "" then return name .. "[" .. index .. "]" end
    local pointer = width == 1 and name or ("(const %s*)%s"):format(emit.vectors[width].type, name)
    if (hint or "") == "" then return "(" .. pointer .. ")[" .. index .. "]" end
    return hint .. "(" .. pointer .. "+" .. index .. ")"
end

local function parameters(draw, inputs, sizes)
    local star, list = emit.flag(draw, 0.3) and "*__restrict " or "*", {}
    for i, input in ipairs(inputs) do list[i] = input:find("*", 1, true) and input or "const float" .. star .. input end
    list[#list + 1] = "float" .. star .. "o"
    for _, size in ipairs(sizes) do list[#list + 1] = "long " .. size end
    return table.concat(list, ",")
end

local function plan(kernels)
    local list = {}
    for _, kernel in ipairs(kernels) do
        local shared = kernel.shared and ",shared=" .. kernel.shared or ""
        list[#list + 1] = kernel.set and ("{set=%q}"):format(kernel.set)
            or ("{kernel=%q,grid=%s,block=%s%s}"):format(kernel.name or "k", kernel.grid, kernel.block, shared)
    end
    return "return{" .. table.concat(list, ",\n") .. "}\n"
end

-- The whole program: functions, then kernels {body, and name, grid, block, shared of its launch}, texts in Lua over the sizes, or {set}, an
-- output filled with zeros; "$list" and
-- "$names" in them are the parameters. bounded: the compiler is told so many threads. inputs: names of const float* parameters, or whole
-- declarations. A single kernel without a grid is launched by the judge's rule, one thread an element.
function emit.program(draw, inputs, sizes, functions, kernels)
    local list, text, names = parameters(draw, inputs, sizes), functions, {}
    for declaration in list:gmatch("[^,]+") do names[#names + 1] = declaration:match("%w+$") end
    for _, kernel in ipairs(kernels) do
        local bounds = kernel.bounded and " __launch_bounds__(" .. kernel.bounded .. ")" or ""
        if kernel.body then text = text .. ('extern "C" __global__ void%s %s($list){\n%s}\n'):format(bounds, kernel.name or "k", kernel.body) end
    end
    text = text:gsub("%$(%l+)", { list = list, names = table.concat(names, ",") })
    return (kernels[1].grid or kernels[1].set) and text .. "```lua\n" .. plan(kernels) or text
end

return emit
