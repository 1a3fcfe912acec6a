-- Programs that reduce across rows: sums of columns, batch norm.
local emit = require "templates.emit"
local columns = {}

local sums = {}

function sums.column(draw, at)
    return emit.text(draw, [[
$parallel
for(int j=0;j<C;j++){
float s=$start;
$pragma
for(int i=0;i<$rows;i++)s+=a[i*C+j];
o[j]=s;
}
]], at)
end

-- o[j] += so many neighbouring rows
local function add_rows(count)
    return "o[j]+=" .. emit.repeated(count, function(u) return "a[" .. (u == 0 and "i" or "(i+" .. u .. ")") .. "*C+j]" end, "+") .. ";"
end

function sums.row(draw, at)
    at.count = draw:pick({ 1, 2, 4 }, { 60, 20, 20 })
    at.add, at.threads = add_rows(at.count), at.race and "#pragma omp parallel for" or ""
    return emit.text(draw, [[
$pragma
for(int j=0;j<C;j++)o[j]=$start;
$threads
for(int i=0;i<$rows;i+=$count)
$pragma
for(int j=0;j<C;j++)$add
]], at)
end

function sums.blocked(draw, at)
    at.block, at.count = draw:pick({ 16, 32, 64 }, { 1, 1, 1 }), draw:pick({ 1, 2, 4 }, { 60, 20, 20 })
    at.add = add_rows(at.count)
    return emit.text(draw, [[
$pragma
for(int j=0;j<C;j++)o[j]=$start;
$parallel
for(int q=0;q<C;q+=$block)
for(int i=0;i<$rows;i+=$count)
$pragma
for(int j=q;j<q+$block;j++)$add
]], at)
end

function sums.vector(draw, at)
    local count, step = draw:pick({ 1, 2, 4 }, { 45, 30, 25 }), draw:pick({ 1, 2 }, { 70, 30 })
    local function name(u) return emit.numbered("S", u, count) end
    at.step, at.width = step, 16 * count
    at.names = emit.repeated(count, function(u) return name(u) .. (at.start == "0" and "={}" or "={1}") end, ",")
    at.adds = emit.repeated(count, function(u)
        local index = emit.plus("j", 16 * u)
        return name(u) .. "+=*(V*)(a+i*C+" .. index .. ")" .. (step == 2 and "+*(V*)(a+i*C+C+" .. index .. ")" or "") .. ";"
    end)
    at.puts = emit.repeated(count, function(u) return "*(V*)(o+" .. emit.plus("j", 16 * u) .. ")=" .. name(u) .. ";" end)
    return emit.text(draw, [[
$parallel
for(int j=0;j<C;j+=$width){
V $names;
for(int i=0;i<$rows;i+=$step){
$adds
}
$puts
}
]], at)
end

function columns.column_sum(draw)
    local mistake = emit.mistake(draw, { "bound", "start", "race" })
    local at = { rows = mistake == "bound" and "R-4" or "R", start = mistake == "start" and "1" or "0", race = mistake == "race" }
    local style = at.race and "row" or draw:pick({ "column", "row", "blocked", "vector" }, { 30, 30, 20, 20 })
    return emit.program(draw, { "a" }, { "R", "C" }, sums[style](draw, at))
end

-- Sums over the batch of one channel: wanted is a list of {variable, term of X}, X being an element.
local function channel_sums(draw, wanted, start)
    local style, element = draw:pick({ "scalar", "vector" }, { 75, 25 }), "x[j]"
    local values = { kind = "float", step = 1, head = "" }
    local function each(write, separator)
        return emit.repeated(#wanted, function(i) return write(wanted[i + 1][1], wanted[i + 1][2]) end, separator)
    end
    local own, zero = "", start
    if style == "vector" then
        values.kind, values.step, element, own, zero = "V", 16, "*(V*)(x+j)", "v", "{}"
    else
        values.head = emit.summing(draw, each(function(name) return name end, ","))
    end
    values.zeros = each(function(name) return own .. name .. "=" .. zero end, ",")
    values.adds = each(function(name, term) return own .. name .. "+=" .. term:gsub("X", element) .. ";" end)
    local loop = emit.text(draw, [[
$kind $zeros;
for(int n=0;n<B;n++){
const float*x=a+(n*C+c)*S;
$head
for(int j=0;j<S;j+=$step){
$adds
}
}
]], values)
    if style ~= "vector" then return loop end
    values.zeros = each(function(name) return name .. "=" .. start end, ",")
    values.adds = each(function(name) return name .. "+=v" .. name .. "[q];" end)
    return loop .. emit.text(draw, "float $zeros;\nfor(int q=0;q<16;q++){\n$adds\n}\n", values)
end

-- How the mean m and the variance v become the result: per channel, then per element.
local ways = {
    scale = { "float r=w[c]/__builtin_sqrtf($v+1e-5f);\n", "(X-m)*r+b[c]" },
    affine = { "float r=w[c]/__builtin_sqrtf($v+1e-5f),t=b[c]-m*r;\n", "X*r+t" },
    divide = { "float r=__builtin_sqrtf($v+1e-5f);\n", "(X-m)/r*w[c]+b[c]" },
}

-- Statistics of the batch, for each channel: a(B,C,S).
function columns.batch_norm(draw)
    local mistake = emit.mistake(draw, { "bound", "start", "bias" })
    local start, sum, variance = mistake == "start" and "S" or "0", "", "s/(B*S)"
    if emit.flag(draw, 0.35) then
        sum, variance = channel_sums(draw, { { "m", "X" }, { "s", "X*X" } }, start) .. "m/=B*S;\n", "s/(B*S)-m*m"
    else
        sum = channel_sums(draw, { { "m", "X" } }, start) .. "m/=B*S;\n" .. channel_sums(draw, { { "s", "(X-m)*(X-m)" } }, "0")
    end
    local way, vector = ways[draw:pick({ "scale", "affine", "divide" }, { 35, 25, 40 })], emit.flag(draw, 0.2)
    local head, value = emit.text(draw, way[1], { v = variance }), way[2]:gsub("X", vector and "*(V*)(x+j)" or "x[j]")
    if mistake == "bias" then head, value = head:gsub("b%[c%]%-", "-"), value:gsub("%+b%[c%]", "") end
    return emit.program(draw, { "a", "w", "b" }, { "B", "C", "S" }, emit.text(draw, [[
$parallel
for(int c=0;c<C;c++){
$sum
$head
for(int n=0;n<$batch;n++){
const float*x=a+(n*C+c)*S;
float*y=o+(n*C+c)*S;
$put$value;
}
}
]], {
        sum = sum, head = head, value = value, batch = mistake == "bound" and "B-1" or "B",
        put = vector and "for(int j=0;j<S;j+=16)*(V*)(y+j)=" or emit.text(draw, "$pragma\nfor(int j=0;j<S;j++)y[j]="),
    }))
end

return columns
