-- Programs that only move data: o(C,R) is a(R,C) transposed.
local emit = require "templates.emit"
local movement = {}

local styles = {}

local function body(at, i, j) return "o[" .. j .. "*" .. (at.stride or "R") .. "+" .. i .. "]=a[" .. i .. "*C+" .. j .. "];\n" end

function styles.plain(draw, at)
    local i, j = "for(int i=0;i<" .. at.rows .. ";i++)", "for(int j=0;j<C;j++)"
    local order = draw:pick({ "ij", "ji" }, { 50, 50 })
    return emit.parallel(draw) .. (order == "ij" and i or j) .. "\n" .. emit.pragma(draw) .. (order == "ij" and j or i)
        .. body(at, "i", "j")
end

local function block(draw) return draw:pick({ 4, 8, 16, 32 }, { 1, 1, 1, 1 }) end

function styles.tiled(draw, at)
    local high, wide, outer, inner = block(draw), block(draw), draw:pick({ "uv", "vu" }, { 50, 50 }), draw:pick({ "ij", "ji" }, { 50,
        50 })
    local u, v = "for(int u=0;u<" .. at.rows .. ";u+=" .. high .. ")\n", "for(int v=0;v<C;v+=" .. wide .. ")\n"
    local i, j = "for(int i=u;i<u+" .. high .. ";i++)", "for(int j=v;j<v+" .. wide .. ";j++)"
    return emit.parallel(draw) .. (outer == "uv" and u .. v or v .. u) .. (inner == "ij" and i or j) .. "\n" .. emit.pragma(draw)
        .. (inner == "ij" and j or i) .. body(at, "i", "j")
end

-- Through a small buffer, so that both sides are read and written in whole rows.
function styles.buffered(draw, at)
    local high, wide = block(draw), block(draw)
    return emit.parallel(draw) .. "for(int u=0;u<" .. at.rows .. ";u+=" .. high .. ")\nfor(int v=0;v<C;v+=" .. wide .. "){\nfloat t["
        .. wide .. "][" .. high .. "];\nfor(int i=0;i<" .. high .. ";i++)\n"
        .. emit.pragma(draw) .. "for(int j=0;j<" .. wide .. ";j++)t[j][i]=a[(u+i)*C+v+j];\nfor(int j=0;j<" .. wide .. ";j++)\n"
            .. emit.pragma(draw)
        .. "for(int i=0;i<" .. high .. ";i++)o[(v+j)*" .. (at.stride or "R") .. "+u+i]=t[j][i];\n}\n"
end

function movement.transpose(draw)
    local mistake = emit.mistake(draw, { "bound", "stride" })
    local at = { rows = mistake == "bound" and "R-32" or "R", stride = mistake == "stride" and "C" or nil }
    local style = draw:pick({ "plain", "tiled", "buffered" }, { 40, 35, 25 })
    return emit.program(draw, { "a" }, { "R", "C" }, styles[style](draw, at))
end

return movement
