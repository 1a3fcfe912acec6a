-- CUDA programs for chains o = act(inner) outer over flat arrays, for instance relu(a*b)+c: one function, and the ways to run it over N.
local emit = require "templates.cuda.emit"
local elementwise = {}

-- Ways to write t = act(t), E being the exponential; `wrong` is the planted mistake.
local acts = {
    relu = { "t=t>0?t:0;", "t=fmaxf(t,0);", "if(t<0)t=0;", wrong = "t=t>0?t:1;" },
    sigmoid = { "t=1/(1+E(-t));", "t=__fdividef(1,1+E(-t));", "t=.5f+.5f*tanhf(.5f*t);", wrong = "t=1/(1+E(t));" },
    tanh = { "t=tanhf(t);", "t=1-2/(1+E(2*t));", "t=1-__fdividef(2,1+E(2*t));", wrong = "t=1-1/(1+E(2*t));" },
    silu = { "t=t/(1+E(-t));", "t=__fdividef(t,1+E(-t));", "t=t*(1/(1+E(-t)));", wrong = "t=t/(1+E(t));" },
    abs = { "t=fabsf(t);", "t=t<0?-t:t;", "t=fmaxf(t,-t);", wrong = "t=t<0?-t:0;" },
    gelu = {
        "t=.5f*t*(1+tanhf(.79788456f*(t+.044715f*t*t*t)));", "t=t/(1+E(-1.5957691f*(t+.044715f*t*t*t)));",
        "t=__fdividef(t,1+E(-1.5957691f*t*(1+.044715f*t*t)));", wrong = "t=t/(1+E(1.5957691f*(t+.044715f*t*t*t)));",
    },
    none = { "", "", "", wrong = "t=t+1;" },
}

local hints = { { "", "__ldg", "__ldcs" }, { 60, 15, 25 } }

local function store(draw, width, index, value)
    local pointer = width == 1 and "o" or ("(%s*)o"):format(emit.vectors[width].type)
    local plain = width == 1 and "o" or "(" .. pointer .. ")"
    return (draw:pick({ plain .. "[" .. index .. "]=" .. value .. ";", "__stcs(" .. pointer .. "+" .. index .. "," .. value .. ");" }, { 65, 35 }))
end

-- The call of f for so many neighbours at `index` (which counts in vectors), with their loads and stores.
local function work(draw, chain, index)
    local width, vector, loads, values = chain.width, emit.vectors[chain.width], "", {}
    local hint = draw:pick(hints[1], hints[2])
    for _, name in ipairs(chain.names) do
        loads = loads .. vector.type .. " " .. name:upper() .. "=" .. emit.load(width, name, index, hint) .. ";\n"
    end
    for u, member in ipairs(vector) do
        local arguments = {}
        for i, name in ipairs(chain.names) do arguments[i] = name:upper() .. member end
        values[u] = "f(" .. table.concat(arguments, ",") .. ")"
    end
    local value = width == 1 and values[1] or ("make_%s(%s)"):format(vector.type, table.concat(values, ","))
    return loads .. store(draw, width, index, value) .. "\n"
end

-- What is left of N behind the last vector.
local function rest(chain)
    if chain.width == 1 then return "" end
    local values = {}
    for i, name in ipairs(chain.names) do values[i] = name .. "[e]" end
    return ("if(i<N%%%d){\nlong e=N-1-i;\no[e]=f(%s);\n}"):format(chain.width, table.concat(values, ","))
end

local function span(chain) return chain.width == 1 and chain.limit or chain.limit .. "/" .. chain.width end

local styles = {}

function styles.single(draw, chain)
    local block, guard = emit.block(draw), draw:pick({ "if(i>=$span)return;\n$work", "if(i<$span){\n$work}\n" }, { 50, 50 })
    local planned = chain.width > 1 or emit.flag(draw, 0.5)
    return {
        body = emit.text(draw, "$kind i=$first*blockDim.x+threadIdx.x;\n$rest\n" .. guard, {
            kind = chain.kind, first = chain.first, rest = rest(chain), span = span(chain), work = work(draw, chain, "i"),
        }),
        grid = planned and ("ceil_div(N,%d)"):format(block * chain.width), block = block,
    }
end

-- Every thread makes several, a block's span apart.
function styles.several(draw, chain)
    local block, count = emit.block(draw), draw:pick({ 2, 4, 8 }, { 40, 40, 20 })
    return {
        body = emit.text(draw, "$kind i=$first*$step+threadIdx.x;\n$rest\n$unroll\nfor(int u=0;u<$count;u++,i+=$block)if(i<$span){\n$work}\n", {
            kind = chain.kind, first = chain.first, step = block * count, count = count, rest = rest(chain), block = block, span = span(chain),
            work = work(draw, chain, "i"),
        }),
        grid = ("ceil_div(N,%d)"):format(block * count * chain.width), block = block,
    }
end

-- As many blocks as run at once, each over the whole range.
function styles.strided(draw, chain)
    local block = emit.block(draw)
    return {
        body = emit.text(draw, "$kind i=$first*blockDim.x+threadIdx.x;\n$rest\n$unroll\nfor(;i<$span;i+=gridDim.x*blockDim.x){\n$work}\n", {
            kind = chain.kind, first = chain.first, rest = rest(chain), span = span(chain), work = work(draw, chain, "i"),
        }),
        grid = draw:pick({ 132, 264, 528, 1056 }, { 1, 1, 1, 1 }), block = block,
    }
end

local operand = "%f[%w]%l%f[%W]" -- a single letter, not the f of a number

-- A kernel for each operation, as an eager framework has them.
local function split(draw, inner, text, outer, limit)
    local block, head = emit.block(draw), "long i=(long)blockIdx.x*blockDim.x+threadIdx.x;\nif(i>=" .. limit .. ")return;\n"
    local grid = ("ceil_div(N,%d)"):format(block)
    local kernels = {}
    local function add(work)
        kernels[#kernels + 1] = { name = ("klm"):sub(#kernels + 1, #kernels + 1), body = head .. work .. "\n", grid = grid, block = block }
    end
    local function indexed(expression) return (expression:gsub(operand, "%0[i]")) end
    add("o[i]=" .. indexed(inner) .. ";")
    if text ~= "" then add("float t=o[i];\n" .. text .. "\no[i]=t;") end
    if outer ~= "" then add("o[i]=o[i]" .. indexed(outer) .. ";") end
    return kernels
end

local function argument_names(inner, outer)
    local seen, names = {}, {}
    for name in (inner .. outer):gmatch(operand) do
        if not seen[name] then seen[name], names[#names + 1] = true, name end
    end
    table.sort(names)
    return names
end

-- The template of act(inner) outer; the operands are single letters.
local function chain(inner, act, outer)
    return function(draw)
        local mistake, ways, names = emit.mistake(draw, { "bound", "act", "operand" }), acts[act], argument_names(inner, outer)
        local text = mistake == "act" and ways.wrong or draw:pick(ways, { 40, 30, 30 })
        if text:find("E(", 1, true) then text = text:gsub("E%(", emit.exponential(draw) .. "(") end
        local limit, first = mistake == "bound" and "(N-64)" or "N", inner
        if mistake == "operand" then first = #inner == 1 and "a+1" or "b" end
        if emit.flag(draw, 0.12) then
            return emit.program(draw, names, { "N" }, "", split(draw, first, text, outer, limit))
        end
        local shape = { names = names, limit = limit, width = draw:pick({ 1, 2, 4 }, { 40, 20, 40 }) }
        shape.kind, shape.first = table.unpack((draw:pick({ { "int", "blockIdx.x" }, { "long", "(long)blockIdx.x" } }, { 50, 50 })))
        local style = draw:pick({ "single", "several", "strided" }, { 40, 30, 30 })
        local f = emit.text(draw, "__device__ float f($arguments){\nfloat t=$inner;\n$act\nreturn t$outer;\n}\n", {
            arguments = "float " .. table.concat(names, ",float "), inner = first, act = text, outer = outer,
        })
        return emit.program(draw, names, { "N" }, f, { styles[style](draw, shape) })
    end
end

for name, of in pairs {
    axpy = { "a*2.5f", "none", "+b" }, mul_relu_add = { "a*b", "relu", "+c" }, sigmoid_mul = { "a", "sigmoid", "*b" },
    add_tanh_mul = { "a+b", "tanh", "*c" }, silu_mul = { "a", "silu", "*b" }, sub_abs_mul = { "a-b", "abs", "*c" }, add_gelu = { "a+b", "gelu", "" },
    gated = { "a", "silu", "*b+c" }, gelu = { "a", "gelu", "" },
} do elementwise[name] = chain(table.unpack(of)) end

return elementwise
