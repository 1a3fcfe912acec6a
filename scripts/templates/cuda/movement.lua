-- CUDA programs that only move data: o(C,R) is a(R,C) transposed, rows of a table.
local emit = require "templates.cuda.emit"
local movement = {}

local styles = {}

-- Reads or writes are neighbours, the others are not.
function styles.plain(draw, at)
    local wide, high = draw:pick({ 8, 16, 32 }, { 1, 1, 1 }), draw:pick({ 4, 8, 16, 32 }, { 1, 1, 1, 1 })
    local row, column = "blockIdx.y*" .. high .. "+threadIdx.y", "blockIdx.x*" .. wide .. "+threadIdx.x"
    local sides, grid = { row, column }, { "C", "R" }
    if emit.flag(draw, 0.5) then sides, grid = { column, row }, { "R", "C" } end
    return {
        body = emit.text(draw, "long r=$r,c=$c;\nif(r<$rows&&c<C)o[c*$stride+r]=a[r*C+c];\n", {
            r = sides[1], c = sides[2], rows = at.rows, stride = at.stride,
        }),
        grid = ("{ceil_div(%s,%d),ceil_div(%s,%d)}"):format(grid[1], wide, grid[2], high), block = ("{%d,%d}"):format(wide, high),
    }
end

-- Through a tile in shared memory, so that both sides are read and written in whole rows.
function styles.tiled(draw, at)
    local tile, pad = draw:pick({ 16, 32, 64 }, { 25, 50, 25 }), draw:pick({ 0, 1 }, { 35, 65 })
    local high = draw:pick({ 2, 4, 8, 16 }, { 1, 1, 1, 1 })
    local values = { tile = tile, row = tile + pad, high = high, rows = at.rows, stride = at.stride, sync = at.race and "" or "__syncthreads();" }
    values.load = draw:pick({ "a[(y+j)*C+x+threadIdx.x]", "__ldcs(a+(y+j)*C+x+threadIdx.x)" }, { 60, 40 })
    return {
        body = emit.text(draw, [[
__shared__ float t[$tile][$row];
long x=(long)blockIdx.x*$tile,y=(long)blockIdx.y*$tile;
$unroll
for(int j=threadIdx.y;j<$tile;j+=$high)if(x+threadIdx.x<C&&y+j<$rows)t[j][threadIdx.x]=$load;
$sync
$unroll
for(int j=threadIdx.y;j<$tile;j+=$high)if(x+j<C&&y+threadIdx.x<R)o[(x+j)*$stride+y+threadIdx.x]=t[threadIdx.x][j];
]], values),
        grid = ("{ceil_div(C,%d),ceil_div(R,%d)}"):format(tile, tile), block = ("{%d,%d}"):format(tile, high),
    }
end

function movement.transpose(draw)
    local mistake = emit.mistake(draw, { "bound", "stride", "race" })
    local at = { rows = mistake == "bound" and "R-1" or "R", stride = mistake == "stride" and "C" or "R", race = mistake == "race" }
    local style = at.race and "tiled" or draw:pick({ "plain", "tiled" }, { 35, 65 })
    return emit.program(draw, { "a" }, { "R", "C" }, "", { styles[style](draw, at) })
end

-- o[n,d] = w[b[n],d]: a warp or a block to a row, one or four values at a time.
function movement.embedding(draw)
    local mistake, block = emit.mistake(draw, { "bound", "row" }), draw:pick({ 64, 128, 256, 512 }, { 1, 1, 1, 1 })
    local width = draw:pick({ 1, 2, 4 }, { 45, 20, 35 })
    local warp, hint = emit.flag(draw, 0.4), draw:pick({ "", "__ldg", "__ldcs" }, { 60, 25, 15 })
    local values = {
        warps = block // 32, step = warp and 32 or block, kind = emit.vectors[width].type, row = mistake == "row" and "n%V" or "b[n]",
        limit = mistake == "bound" and "D-1" or "D", width = width,
    }
    local head = warp and "long n=(long)blockIdx.x*$warps+threadIdx.x/32;\nint t=threadIdx.x%32;\nif(n>=N)return;\n"
        or "long n=blockIdx.x;\nint t=threadIdx.x;\n"
    head = head .. "const float*x=w+$row*D;\nfloat*y=o+n*D;\n"
    local scalar = "$unroll\nfor(int j=t;j<$limit;j+=$step)y[j]=" .. emit.load(1, "x", "j", hint) .. ";\n"
    if width > 1 then
        scalar = "if(D%$width==0)for(int j=t;j<$limit/$width;j+=$step)(($kind*)y)[j]=" .. emit.load(width, "x", "j", hint)
            .. ";\nelse for(int j=t;j<$limit;j+=$step)y[j]=x[j];\n"
    end
    return emit.program(draw, { "w", "const long long*b" }, { "V", "D", "N" }, "", { {
        body = emit.text(draw, head .. scalar, values), grid = warp and ("ceil_div(N,%d)"):format(block // 32) or "N", block = block,
    } })
end

return movement
