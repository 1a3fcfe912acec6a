-- Programs for running sums along the rows of a(R,C): one row or several rows at a time, one or more elements a step.
local emit = require "templates.emit"
local scan = {}

-- So many elements of row X from column j to row Y, with the sum so far in s.
local steps = {
    { "s+=X0;Y0=s;", "Y0=s+=X0;" },
    { "float t=X0+X1;Y0=s+X0;Y1=s+=t;", "Y0=s+X0;s+=X0+X1;Y1=s;" },
    [4] = {
        "float t=X0+X1,u=t+X2,v=u+X3;Y0=s+X0;Y1=s+t;Y2=s+u;Y3=s+=v;", "float t=X0+X1,u=X2+X3;Y0=s+X0;Y1=s+t;Y2=s+t+X2;Y3=s+=t+u;",
    },
}

local function step(draw, at, sum, x, y)
    at.step = draw:pick({ 1, 2, 4 }, { 50, 25, 25 })
    local text = draw:pick(steps[at.step], { 60, 40 })
    at.body = text:gsub("%f[%w]s%f[%W]", sum):gsub("([XY])(%d)", function(side, offset)
        return (side == "X" and x or y) .. "[" .. emit.plus(at.index .. "j", tonumber(offset)) .. "]"
    end)
end

local styles = {}

function styles.row(draw, at)
    local form = draw:pick({ "*", "*__restrict ", "" }, { 40, 30, 30 })
    at.open = form ~= "" and "const float" .. form .. "x=a+i*C;\nfloat" .. form .. "y=o+i*C;\n" or ""
    at.index = form == "" and "i*C+" or ""
    step(draw, at, "s", form == "" and "a" or "x", form == "" and "o" or "y")
    return emit.text(draw, [[
$parallel
for(int i=0;i<$rows;i++){
$open
float s=$start;
$unroll
for(int j=0;j<$columns;j+=$step){
$body
}
}
]], at)
end

-- Neighbouring rows at a time: their sums do not wait for each other.
function styles.several(draw, at)
    at.high, at.index = draw:pick({ 2, 4, 8 }, { 35, 35, 30 }), "r*C+"
    at.lanes = draw:pick({ "", "#pragma GCC unroll " .. at.high, "#pragma omp simd" }, { 50, 40, 10 })
    step(draw, at, "s[r]", "x", "y")
    return emit.text(draw, [[
$parallel
for(int i=0;i<$rows;i+=$high){
const float*x=a+i*C;
float*y=o+i*C;
float s[$high]={$first};
$unroll
for(int j=0;j<$columns;j+=$step)
$lanes
for(int r=0;r<$high;r++){
$body
}
}
]], at)
end

-- The slow order: a column at a time, from the results of the column before.
function styles.column(draw, at)
    return emit.text(draw, [[
for(int i=0;i<$rows;i++)o[i*C]=a[i*C]+$start;
for(int j=1;j<$columns;j++)
$pragma
for(int i=0;i<$rows;i++)o[i*C+j]=o[i*C+j-1]+a[i*C+j];
]], at)
end

function scan.cumsum(draw)
    local mistake = emit.mistake(draw, { "rows", "columns", "start" })
    local style = draw:pick({ "row", "several", "column" }, { 45, 40, 15 })
    return emit.program(draw, { "a" }, { "R", "C" }, styles[style](draw, {
        rows = mistake == "rows" and "R-8" or "R", columns = mistake == "columns" and "C-4" or "C",
        start = mistake == "start" and "1" or "0", first = mistake == "start" and "1" or "",
    }))
end

return scan
