-- Programs for chains o = act(inner) outer over flat arrays, for instance relu(a*b)+c.
local emit = require "templates.emit"
local elementwise = {}

-- Ways to write t = act(t), E being the exponential; `wrong` is the planted mistake.
local acts = {
    relu = { "t=t>0?t:0;", "t=__builtin_fmaxf(t,0);", "if(t<0)t=0;", wrong = "t=t>0?t:1;" },
    sigmoid = { "t=1/(1+E(-t));", "t=.5f+.5f*__builtin_tanhf(.5f*t);", "t=E(-t);\nt=1/(1+t);", wrong = "t=1/(1+E(t));" },
    tanh = { "t=1-2/(1+E(2*t));", "t=__builtin_tanhf(t);", "t=E(-2*t);\nt=2/(1+t)-1;", wrong = "t=1-1/(1+E(2*t));" },
    silu = { "t=t/(1+E(-t));", "t=t*(1/(1+E(-t)));", "t*=.5f+.5f*__builtin_tanhf(.5f*t);", wrong = "t=t/(1+E(t));" },
    exp = { "t=E(t);", "t=__builtin_exp2f(1.44269504f*t);", "t=E(.5f*t);\nt*=t;", wrong = "t=E(-t);" },
    abs = { "t=t<0?-t:t;", "t=__builtin_fabsf(t);", "t=__builtin_fmaxf(t,-t);", "if(t<0)t=-t;", wrong = "t=t<0?-t:0;" },
    square = { "t=t*t;", "t*=t;", "t=__builtin_powf(t,2);", wrong = "t=t+t;" },
    gelu = {
        "t=.5f*t*(1+__builtin_tanhf(.79788456f*(t+.044715f*t*t*t)));", "t=t/(1+E(-1.5957691f*(t+.044715f*t*t*t)));",
        "t=t/(1+E(-1.5957691f*t*(1+.044715f*t*t)));", wrong = "t=t/(1+E(1.5957691f*(t+.044715f*t*t*t)));",
    },
}
-- Those that also hold for sixteen floats at once; Z is a vector of zeros.
local vector_acts = { relu = "t=t>0?t:Z;", abs = "t=t<0?-t:t;", square = "t=t*t;" }

-- "a*b" becomes "a[i]*b[i]"; t is a variable and stays.
local function indexed(expression)
    return (expression:gsub("%l", function(name) return name ~= "t" and name .. "[i]" or nil end))
end

local function statements(draw, chain)
    local text = draw:pick({ "float t=$inner;\n$act\no[i]=t$outer;\n", "float t=$inner;\n$act\nt=t$outer;\no[i]=t;\n" }, { 75, 25 })
    return emit.text(draw, text, chain)
end

local styles = {}

function styles.fused(draw, chain)
    return emit.text(draw, "$flat\nfor(int i=0;i<$limit;i++){\n", chain) .. statements(draw, chain) .. "}\n"
end

function styles.blocked(draw, chain)
    chain.block = draw:pick({ 64, 256, 1024 }, { 1, 1, 1 })
    return emit.text(draw, [[
$parallel
for(int q=0;q<$limit;q+=$block)
$pragma
for(int i=q;i<q+$block;i++){
]], chain) .. statements(draw, chain) .. "}\n"
end

function styles.strided(draw, chain)
    chain.stride = draw:pick({ 16, 64, 256, 1024 }, { 1, 1, 1, 1 })
    return emit.text(draw, [[
$parallel
for(int q=0;q<$stride;q++)
$pragma
for(int i=q;i<$limit;i+=$stride){
]], chain) .. statements(draw, chain) .. "}\n"
end

-- One pass over memory for each operation, as an eager framework does.
function styles.split(draw, chain)
    local last = chain.outer == "" and "" or "$pragma\nfor(int i=0;i<$limit;i++)o[i]=o[i]$outer;\n"
    return emit.text(draw, [[
$pragma
for(int i=0;i<$limit;i++)o[i]=$inner;
$pragma
for(int i=0;i<$limit;i++){
float t=o[i];
$act
o[i]=t;
}
]] .. last, chain)
end

function styles.vector(draw, chain)
    local count = draw:pick({ 1, 2, 4 }, { 50, 30, 20 })
    local lanes = emit.repeated(count, function(u)
        local index = emit.plus("i", 16 * u)
        local function loads(text) return (text:gsub("(%l)%[i%]", "*(V*)(%1+" .. index .. ")")) end
        return emit.text(draw, "$declare=$inner;\n$act\n*(V*)(o+$index)=t$outer;\n", {
            declare = u == 0 and "V t" or "t", inner = loads(chain.inner), act = chain.vector, index = index, outer = loads(chain.outer),
        })
    end)
    return emit.text(draw, "$zero\n$parallel\nfor(int i=0;i<$limit;i+=$step){\n$lanes\n}\n", {
        zero = chain.vector:find("Z", 1, true) and "V Z={};" or "", limit = chain.limit, step = 16 * count, lanes = lanes,
    })
end

local function argument_names(inner, outer)
    local seen, names = {}, {}
    for name in (inner .. outer):gmatch("%l") do
        if not seen[name] then seen[name], names[#names + 1] = true, name end
    end
    table.sort(names)
    return names
end

-- The template of act(inner) outer; the operands are single letters.
function elementwise.chain(inner, act, outer)
    return function(draw)
        local mistake, ways = emit.mistake(draw, { "bound", "act", "operand" }), acts[act]
        local text = mistake == "act" and ways.wrong or draw:pick(ways, { 40, 25, 20, 15 })
        if text:find("E(", 1, true) then text = text:gsub("E%(", emit.exponential(draw) .. "(") end
        local chain = { inner = indexed(inner), outer = indexed(outer), act = text, vector = vector_acts[act] }
        chain.limit = mistake == "bound" and "N-64" or "N"
        if mistake == "operand" then chain.inner = #inner == 1 and "a[i]+1" or "b[i]" end
        local may_be_vector = vector_acts[act] and mistake ~= "act"
        local style = draw:pick({ "fused", "blocked", "split", "strided", "vector" }, { 40, 20, 15, 10, may_be_vector and 15 or 0 })
        return emit.program(draw, argument_names(inner, outer), { "N" }, styles[style](draw, chain))
    end
end

return elementwise
