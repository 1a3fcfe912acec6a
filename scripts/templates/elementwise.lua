-- Programs for chains o = act(inner) outer over flat arrays, for instance relu(a*b)+c.
local emit = require "templates.emit"
local elementwise = {}

-- Ways to write t = act(t); E is the exponential. The first list is right, wrong is a planted mistake.
elementwise.acts = {
    relu = { "t=t>0?t:0;", "t=__builtin_fmaxf(t,0);", "if(t<0)t=0;", wrong = "t=t>0?t:1;" },
    sigmoid = { "t=1/(1+E(-t));", "t=.5f+.5f*__builtin_tanhf(.5f*t);", "t=E(-t);\nt=1/(1+t);", wrong = "t=1/(1+E(t));" },
    tanh = { "t=1-2/(1+E(2*t));", "t=__builtin_tanhf(t);", "t=E(2*t);\nt=(t-1)/(t+1);", wrong = "t=1-1/(1+E(2*t));" },
    silu = { "t=t/(1+E(-t));", "t=t*(1/(1+E(-t)));", "t*=.5f+.5f*__builtin_tanhf(.5f*t);", wrong = "t=t/(1+E(t));" },
    exp = { "t=E(t);", "t=1/E(-t);", "t=E(.5f*t);\nt*=t;", wrong = "t=E(-t);" },
    abs = { "t=t<0?-t:t;", "t=__builtin_fabsf(t);", "t=__builtin_fmaxf(t,-t);", "if(t<0)t=-t;", wrong = "t=t<0?-t:0;" },
    square = { "t=t*t;", "t*=t;", "t=__builtin_powf(t,2);", wrong = "t=t+t;" },
    gelu = { "t=.5f*t*(1+__builtin_tanhf(.79788456f*(t+.044715f*t*t*t)));", "t=t/(1+E(-1.5957691f*(t+.044715f*t*t*t)));",
        "t=t/(1+E(-1.5957691f*t*(1+.044715f*t*t)));", wrong = "t=t/(1+E(1.5957691f*(t+.044715f*t*t*t)));" },
}
-- Those that also hold for sixteen floats at once.
local vector_acts = { relu = "t=t>0?t:Z;", abs = "t=t<0?-t:t;", square = "t=t*t;" }

-- "a*b" becomes "a[i]*b[i]"
local function indexed(expression, element)
    return (expression:gsub("%l", element))
end
local function scalar(name) return name == "t" and name or name .. "[i]" end

local function statements(draw, chain)
    local put = draw:pick({ "$o=t$outer;\n", "t=t$outer;\n$o=t;\n" }, { 75, 25 })
    local got = emit.fill(put, { o = "o[i]", outer = indexed(chain.outer, scalar) })
    return "float t=" .. indexed(chain.inner, scalar) .. ";\n" .. chain.act .. "\n" .. got
end

local styles = {}

function styles.fused(draw, chain)
    return emit.flat(draw) .. "for(int i=0;i<" .. chain.limit .. ";i++){\n" .. statements(draw, chain) .. "}\n"
end

function styles.blocked(draw, chain)
    local block = draw:pick({ 64, 256, 1024 }, { 1, 1, 1 })
    return emit.parallel(draw) .. "for(int q=0;q<" .. chain.limit .. ";q+=" .. block .. ")\n" .. emit.pragma(draw)
        .. "for(int i=q;i<q+" .. block .. ";i++){\n" .. statements(draw, chain) .. "}\n"
end

function styles.strided(draw, chain)
    local stride = draw:pick({ 16, 64, 256, 1024 }, { 1, 1, 1, 1 })
    return emit.parallel(draw) .. "for(int q=0;q<" .. stride .. ";q++)\n" .. emit.pragma(draw)
        .. "for(int i=q;i<" .. chain.limit .. ";i+=" .. stride .. "){\n" .. statements(draw, chain) .. "}\n"
end

function styles.split(draw, chain)
    local loop = "for(int i=0;i<" .. chain.limit .. ";i++)"
    local text = emit.pragma(draw) .. loop .. "o[i]=" .. indexed(chain.inner, scalar) .. ";\n"
        .. emit.pragma(draw) .. loop .. "{\nfloat t=o[i];\n" .. chain.act .. "\no[i]=t;\n}\n"
    if chain.outer ~= "" then text = text .. emit.pragma(draw) .. loop .. "o[i]=o[i]" .. indexed(chain.outer, scalar) .. ";\n" end
    return text
end

function styles.vector(draw, chain)
    local count = draw:pick({ 1, 2, 4 }, { 50, 30, 20 })
    local zero, lanes = chain.vector:find("Z", 1, true) and "V Z={};\n" or "", {}
    for u = 0, count - 1 do
        local element = function(name) return name == "t" and name or "*(V*)(" .. name .. "+" .. emit.plus("i", 16 * u) .. ")" end
        lanes[#lanes + 1] = (u == 0 and "V t=" or "t=") .. indexed(chain.inner, element) .. ";\n" .. chain.vector .. "\n*(V*)(o+"
            .. emit.plus("i", 16 * u) .. ")=t"
            .. indexed(chain.outer, element) .. ";\n"
    end
    return zero .. emit.parallel(draw) .. "for(int i=0;i<" .. chain.limit .. ";i+=" .. 16 * count .. "){\n" .. table.concat(lanes)
        .. "}\n"
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
        local mistake = emit.mistake(draw, { "bound", "act", "outer" })
        local ways = elementwise.acts[act]
        local text = mistake == "act" and ways.wrong or draw:pick(ways, { 40, 25, 20, 15 })
        local chain = { inner = inner, outer = outer, limit = mistake == "bound" and "N-64" or "N", act = text,
            vector = mistake == "act" and ways.wrong or vector_acts[act] }
        if text:find("E(", 1, true) then chain.act = text:gsub("E%(", emit.exponential(draw) .. "(") end
        if mistake == "outer" then chain.inner = inner == "a" and "a+1" or "b" end
        local style = draw:pick({ "fused", "blocked", "split", "strided", "vector" }, { 40, 20, 15, 10,
            vector_acts[act] and mistake ~= "act" and 15 or 0 })
        return emit.program(draw, argument_names(inner, outer), { "N" }, styles[style](draw, chain))
    end
end

return elementwise
