-- CUDA programs that go down the columns of a matrix a(R,C): sums, running sums. Threads stand side by side in a row; the rows are shared out
-- among the threads of a block, among blocks, or not at all.
local emit = require "templates.cuda.emit"
local columns = {}

local sums = {}

-- A thread for each column, all rows.
function sums.whole(draw, at)
    local block = emit.block(draw)
    return { {
        body = emit.text(draw, "long c=(long)blockIdx.x*$block+threadIdx.x;\nif(c>=C)return;\nfloat s=$start;\n$unroll\n"
            .. "for(long r=0;r<$rows;r++)s+=a[r*C+c];\no[c]=s;\n", { block = block, start = at.start, rows = at.rows }),
        grid = ("ceil_div(C,%d)"):format(block), block = block,
    } }
end

-- Threads of a block share the rows of its columns and join in shared memory.
function sums.block(draw, at)
    local wide, high = draw:pick({ 32, 64 }, { 60, 40 }), draw:pick({ 4, 8, 16 }, { 1, 1, 1 })
    return { {
        body = emit.text(draw, "__shared__ float v[$high][$wide];\nint x=threadIdx.x%$wide,y=threadIdx.x/$wide;\nlong c=(long)blockIdx.x*$wide+x;\n"
            .. "float s=$start;\n$unroll\nif(c<C)for(long r=y;r<$rows;r+=$high)s+=a[r*C+c];\nv[y][x]=s;\n$sync\nif(y==0&&c<C){\n"
            .. "for(int q=1;q<$high;q++)s+=v[q][x];\no[c]=s;\n}\n", {
                wide = wide, high = high, rows = at.rows, start = at.start, sync = at.race and "" or "__syncthreads();",
            }):gsub("(#pragma unroll[^\n]*\n)if%(c<C%)", "if(c<C)\n%1"),
        grid = ("ceil_div(C,%d)"):format(wide), block = wide * high,
    } }
end

-- Blocks share the rows too and add to zeros.
function sums.blocks(draw, at)
    local block, share = draw:pick({ 64, 128, 256 }, { 1, 1, 1 }), draw:pick({ 32, 64, 128, 256 }, { 1, 1, 1, 1 })
    local head, add = ("long c=(long)blockIdx.x*%d+threadIdx.x;\nif(c>=C)return;\n"):format(block), at.race and "o[c]+=s;\n" or "atomicAdd(o+c,s);\n"
    return {
        { set = "o" },
        {
            body = head .. emit.text(draw, "long r=(long)blockIdx.y*$share,e=r+$share<$rows?r+$share:$rows;\nfloat s=$start;\n$unroll\n"
                .. "for(;r<e;r++)s+=a[r*C+c];\n", { share = share, rows = at.rows, start = at.start }) .. add,
            grid = ("{ceil_div(C,%d),ceil_div(R,%d)}"):format(block, share), block = block,
        },
    }
end

function columns.column_sum(draw)
    local mistake = emit.mistake(draw, { "bound", "start", "race" })
    local at = { rows = mistake == "bound" and "R-1" or "R", start = mistake == "start" and "1" or "0", race = mistake == "race" }
    local style = at.race and draw:pick({ "block", "blocks" }, { 50, 50 }) or draw:pick({ "whole", "block", "blocks" }, { 30, 35, 35 })
    return emit.program(draw, { "a" }, { "R", "C" }, "", sums[style](draw, at))
end

-- A thread for each column, several rows read ahead.
function columns.column_cumsum(draw)
    local mistake, block = emit.mistake(draw, { "start", "bound" }), draw:pick({ 32, 64, 128, 256 }, { 1, 1, 1, 1 })
    local ahead = draw:pick({ 1, 4, 8, 16 }, { 1, 1, 1, 1 })
    local text = ahead == 1 and "$unroll\nfor(long r=0;r<$rows;r++){\ns+=a[r*C+c];\no[r*C+c]=s;\n}\n" or [[
long r=0;
for(;r+$ahead<=$rows;r+=$ahead){
float v[$ahead];
for(int u=0;u<$ahead;u++)v[u]=$load;
for(int u=0;u<$ahead;u++)$store
}
for(;r<$rows;r++)o[r*C+c]=s+=a[r*C+c];
]]
    return emit.program(draw, { "a" }, { "R", "C" }, "", { {
        body = emit.text(draw, "long c=(long)blockIdx.x*$block+threadIdx.x;\nif(c>=C)return;\nfloat s=$start;\n" .. text, {
            block = block, ahead = ahead, start = mistake == "start" and "1" or "0", rows = mistake == "bound" and "R-1" or "R",
            load = draw:pick({ "a[(r+u)*C+c]", "__ldcs(a+(r+u)*C+c)" }, { 60, 40 }),
            store = draw:pick({ "o[(r+u)*C+c]=s+=v[u];", "__stcs(o+(r+u)*C+c,s+=v[u]);" }, { 60, 40 }),
        }), grid = ("ceil_div(C,%d)"):format(block), block = block,
    } })
end

return columns
