-- Programs that only move data: o(C,R) is a(R,C) transposed.
local emit = require "templates.emit"
local movement = {}

-- Two loops in one order or the other.
local function either(draw, a, b, between)
    return (draw:pick({ a .. between .. b, b .. between .. a }, { 50, 50 }))
end

local styles = {}

function styles.plain(draw, at)
    local loops = either(draw, "for(int i=0;i<$rows;i++)", "for(int j=0;j<C;j++)", "\n$pragma\n")
    return emit.text(draw, "$parallel\n" .. loops .. "o[j*$stride+i]=a[i*C+j];\n", at)
end

local function tile(draw, at)
    at.high, at.wide = draw:pick({ 4, 8, 16, 32 }, { 1, 1, 1, 1 }), draw:pick({ 4, 8, 16, 32 }, { 1, 1, 1, 1 })
    return "$parallel\n" .. either(draw, "for(int u=0;u<$rows;u+=$high)", "for(int v=0;v<C;v+=$wide)", "\n")
end

function styles.tiled(draw, at)
    local inner = either(draw, "for(int i=u;i<u+$high;i++)", "for(int j=v;j<v+$wide;j++)", "\n$pragma\n")
    return emit.text(draw, tile(draw, at) .. "\n" .. inner .. "o[j*$stride+i]=a[i*C+j];\n", at)
end

-- Through a small buffer, so that both sides are read and written in whole rows.
function styles.buffered(draw, at)
    return emit.text(draw, tile(draw, at) .. [[
{
float t[$wide][$high];
for(int i=0;i<$high;i++)
$pragma
for(int j=0;j<$wide;j++)t[j][i]=a[(u+i)*C+v+j];
for(int j=0;j<$wide;j++)
$pragma
for(int i=0;i<$high;i++)o[(v+j)*$stride+u+i]=t[j][i];
}
]], at)
end

function movement.transpose(draw)
    local mistake = emit.mistake(draw, { "bound", "stride" })
    local style = draw:pick({ "plain", "tiled", "buffered" }, { 40, 35, 25 })
    local at = { rows = mistake == "bound" and "R-32" or "R", stride = mistake == "stride" and "C" or "R" }
    return emit.program(draw, { "a" }, { "R", "C" }, styles[style](draw, at))
end

return movement
