-- Programs for running sums along the rows of a(R,C): one row or several rows at a time, one or more elements a step.
local emit = require "templates.emit"
local scan = {}

-- One step of row x to row y with the sum so far in s, for step neighbouring elements.
local steps = {
    [1] = { "$s+=$x0;$y0=$s;", "$y0=$s+=$x0;" },
    [2] = { "float t=$x0+$x1;$y0=$s+$x0;$y1=$s+=t;", "$y0=$s+$x0;$s+=$x0+$x1;$y1=$s;" },
    [4] = { "float t=$x0+$x1,u=t+$x2,v=u+$x3;$y0=$s+$x0;$y1=$s+t;$y2=$s+u;$y3=$s+=v;",
        "float t=$x0+$x1,u=$x2+$x3;$y0=$s+$x0;$y1=$s+t;$y2=$s+t+$x2;$y3=$s+=t+u;" },
}

local function step(draw, count, s, x, y)
    local text = draw:pick(steps[count], { 60, 40 })
    return (text:gsub("%$(%a)(%d?)", function(name, offset)
        if name == "s" then return s end
        return (name == "x" and x or y) .. (offset == "0" and "" or "+" .. offset) .. "]"
    end))
end

local function outer(draw) return draw:pick({ "", "#pragma GCC unroll 2\n", "#pragma GCC unroll 4\n", "#pragma GCC unroll 8\n" }, { 60,
    15, 15, 10 }) end

local styles = {}

function styles.row(draw, at)
    local form, count = draw:pick({ "pointer", "restrict", "index" }, { 40, 30, 30 }), draw:pick({ 1, 2, 4 }, { 50, 25, 25 })
    local star = form == "restrict" and "*__restrict " or "*"
    local open = form == "index" and "" or "const float" .. star .. "x=a+i*C;\nfloat" .. star .. "y=o+i*C;\n"
    local x, y = form == "index" and "a[i*C+j" or "x[j", form == "index" and "o[i*C+j" or "y[j"
    return emit.parallel(draw) .. "for(int i=0;i<" .. at.rows .. ";i++){\n" .. open .. "float s=" .. at.start .. ";\n" .. outer(draw)
        .. "for(int j=0;j<" .. at.columns .. ";j+=" .. count .. "){\n"
        .. step(draw, count, "s", x, y) .. "\n}\n}\n"
end

-- Neighbouring rows at a time: their sums do not wait for each other.
function styles.several(draw, at)
    local high, count = draw:pick({ 2, 4, 8 }, { 35, 35, 30 }), draw:pick({ 1, 2, 4 }, { 50, 25, 25 })
    local unroll = draw:pick({ "", "#pragma GCC unroll " .. high .. "\n", "#pragma omp simd\n" }, { 50, 40, 10 })
    return emit.parallel(draw) .. "for(int i=0;i<" .. at.rows .. ";i+=" .. high .. "){\nconst float*x=a+i*C;\nfloat*y=o+i*C;\nfloat s["
        .. high .. "]={" .. (at.start == "0" and "" or "1") .. "};\n" .. outer(draw)
        .. "for(int j=0;j<" .. at.columns .. ";j+=" .. count .. ")\n" .. unroll .. "for(int r=0;r<" .. high .. ";r++){\n"
            .. step(draw, count, "s[r]", "x[r*C+j", "y[r*C+j") .. "\n}\n}\n"
end

-- The slow order: a column at a time, from the results of the column before.
function styles.column(draw, at)
    return "for(int i=0;i<" .. at.rows .. ";i++)o[i*C]=a[i*C]" .. (at.start == "0" and "" or "+1") .. ";\nfor(int j=1;j<" .. at.columns
        .. ";j++)\n" .. emit.flat(draw)
        .. "for(int i=0;i<" .. at.rows .. ";i++)o[i*C+j]=o[i*C+j-1]+a[i*C+j];\n"
end

function scan.cumsum(draw)
    local mistake = emit.mistake(draw, { "rows", "columns", "start" })
    local at = { rows = mistake == "rows" and "R-8" or "R", columns = mistake == "columns" and "C-4" or "C",
        start = mistake == "start" and "1" or "0" }
    local style = draw:pick({ "row", "several", "column" }, { 45, 40, 15 })
    return emit.program(draw, { "a" }, { "R", "C" }, styles[style](draw, at))
end

return scan
