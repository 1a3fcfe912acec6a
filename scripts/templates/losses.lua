-- Programs for the mean squared difference of two flat arrays, one number.
local emit = require "templates.emit"
local losses = {}

local function square(draw, sum, index)
    local text = draw:pick({ "{\nfloat d=a[$i]-b[$i];\n$s+=d*d;\n}", "$s+=(a[$i]-b[$i])*(a[$i]-b[$i]);" }, { 60, 40 })
    return emit.text(draw, text, { s = sum, i = index })
end

local function number(draw) return (draw:pick({ "float", "double" }, { 75, 25 })) end

local styles = {}

function styles.flat(draw, at)
    at.kind, at.square = number(draw), square(draw, "s", "i")
    at.head = at.race and "#pragma omp parallel for" or draw:pick({
        emit.summing(draw, "s"), "#pragma omp parallel for reduction(+:s)", "#pragma omp parallel for simd reduction(+:s)",
    }, { 85, 8, 7 })
    return emit.text(draw, "$kind s=$start;\n$head\nfor(int i=0;i<$limit;i++)$square\n", at)
end

function styles.several(draw, at)
    at.count, at.kind, at.square = draw:pick({ 2, 4, 8, 16 }, { 1, 1, 1, 1 }), number(draw), square(draw, "p[u]", "i+u")
    at.lanes = draw:pick({ "", "#pragma GCC unroll 8", "#pragma omp simd" }, { 50, 30, 20 })
    return emit.text(draw, [[
$kind p[$count]={};
$unroll
for(int i=0;i<$limit;i+=$count)
$lanes
for(int u=0;u<$count;u++)$square
float s=$start;
for(int u=0;u<$count;u++)s+=p[u];
]], at)
end

-- Equal shares, each with a sum t of its own; threads may take them.
function styles.shares(draw, at)
    at.count = draw:pick({ 2, 4, 8, 16, 32 }, { 1, 1, 1, 1, 1 })
    at.first = at.limit == "N" and "0" or "1"
    at.threads = at.race and "#pragma omp parallel for" or draw:pick({
        "", "#pragma omp parallel for reduction(+:s)", "#pragma omp parallel for reduction(+:s) schedule(static,4)",
        "#pragma omp parallel for reduction(+:s) schedule(dynamic,1)", "#pragma omp parallel for reduction(+:s) schedule(guided)",
    }, { 56, 20, 8, 8, 8 })
    local inner = "float t=0;\n$head\nfor(int i=q*n;i<q*n+n;i++)$square\n"
    if emit.flag(draw, 0.3) then
        inner = [[
V S={};
$unroll
for(int i=q*n;i<q*n+n;i+=16){
V d=*(V*)(a+i)-*(V*)(b+i);
S+=d*d;
}
float t=0;
for(int u=0;u<16;u++)t+=S[u];
]]
    else
        at.head, at.square = emit.summing(draw, "t"), square(draw, "t", "i")
    end
    at.inner = emit.text(draw, inner, at)
    return emit.text(draw, [[
long n=N/$count;
float s=$start;
$threads
for(int q=$first;q<$count;q++){
$inner
s+=t;
}
]], at)
end

function styles.vector(draw, at)
    local count = draw:pick({ 1, 2, 4 }, { 40, 35, 25 })
    local function name(u) return emit.numbered("S", u, count) end
    at.step, at.total = 16 * count, emit.repeated(count, function(u) return name(u) .. "[u]" end, "+")
    at.names = emit.repeated(count, function(u) return name(u) .. "={}" end, ",")
    at.adds = emit.repeated(count, function(u)
        local index = emit.plus("i", 16 * u)
        return (u == 0 and "V t=" or "t=") .. "*(V*)(a+" .. index .. ")-*(V*)(b+" .. index .. ");" .. name(u) .. "+=t*t;\n"
    end)
    return emit.text(draw, [[
V $names;
$unroll
for(int i=0;i<$limit;i+=$step){
$adds
}
float s=$start;
for(int u=0;u<16;u++)s+=$total;
]], at)
end

function losses.mse(draw)
    local mistake = emit.mistake(draw, { "bound", "start", "mean", "race" })
    local race = mistake == "race"
    local style = draw:pick({ "flat", "several", "shares", "vector" }, { 35, race and 0 or 20, 25, race and 0 or 20 })
    local finish = mistake == "mean" and "*o=s;\n" or draw:pick({ "*o=s/N;\n", "o[0]=s/N;\n" }, { 60, 40 })
    return emit.program(draw, { "a", "b" }, { "N" }, styles[style](draw, {
        limit = mistake == "bound" and "N-256" or "N", start = mistake == "start" and "N" or "0", race = race,
    }) .. finish)
end

return losses
