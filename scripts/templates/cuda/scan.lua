-- CUDA programs for running sums along the rows of a(R,C): a thread, a warp or a block to a row. A warp's sums run by shuffles, a block's
-- through shared memory; `own` neighbours belong to one thread.
local emit = require "templates.cuda.emit"
local scan = {}

local styles = {}

function styles.thread(draw, at)
    local block = emit.block(draw)
    return {
        body = emit.text(draw, "long r=(long)blockIdx.x*$block+threadIdx.x;\nif(r>=R)return;\nfloat s=$start;\n$unroll\n"
            .. "for(long j=r*C;j<r*C+$columns;j++)o[j]=s+=a[j];\n", { block = block, start = at.start, columns = at.columns }),
        grid = ("ceil_div(R,%d)"):format(block), block = block,
    }
end

-- The thread's own elements, summed as they are read; those beyond the row count nothing.
local function own(draw, count)
    local first = count == 1 and "" or count .. "*"
    return emit.text(draw, "float q[$count];\nfor(int u=0;u<$count;u++)q[u]=(j+$at+u<C?x[j+$at+u]:0)+(u?q[u-1]:0);\nfloat v=q[$last];\n", {
        count = count, at = first .. "t", last = count - 1,
    })
end

local warp_scan = "for(int d=1;d<32;d*=2){\nfloat w=__shfl_up_sync(~0u,v,d);\nif($lane>=d)v+=w;\n}\n"

local function store(count, before)
    local first = count == 1 and "" or count .. "*"
    return ("for(int u=0;u<%d;u++)if(j+%st+u<C)y[j+%st+u]=%s+q[u];\n"):format(count, first, first, before)
end

function styles.warp(draw, at)
    local warps, count = draw:pick({ 1, 2, 4, 8 }, { 1, 1, 1, 1 }), draw:pick({ 1, 2, 4, 8 }, { 30, 20, 30, 20 })
    return {
        body = emit.text(draw, "long r=(long)blockIdx.x*$warps+threadIdx.x/32;\nint t=threadIdx.x%32;\nif(r>=R)return;\nconst float*x=a+r*C;\n"
            .. "float*y=o+r*C,s=$start;\nfor(int j=0;j<$columns;j+=$step){\n", {
                warps = warps, start = at.start, columns = at.columns, step = 32 * count,
            })
            .. own(draw, count) .. warp_scan:gsub("%$lane", "t") .. store(count, "s+v-q[" .. count - 1 .. "]") .. "s+=__shfl_sync(~0u,v,31);\n}\n",
        grid = ("ceil_div(R,%d)"):format(warps), block = 32 * warps,
    }
end

function styles.block(draw, at)
    local block, count = draw:pick({ 64, 128, 256, 512 }, { 1, 1, 1, 1 }), draw:pick({ 1, 2, 4, 8 }, { 30, 20, 30, 20 })
    local before = "s+p+v-q[" .. count - 1 .. "]"
    return {
        body = emit.text(draw, "__shared__ float w[32];\nlong r=blockIdx.x;\nint t=threadIdx.x;\nconst float*x=a+r*C;\nfloat*y=o+r*C,s=$start;\n"
            .. "for(int j=0;j<$columns;j+=$step){\n", { start = at.start, columns = at.columns, step = block * count })
            .. own(draw, count) .. warp_scan:gsub("%$lane", "t%%32"):gsub("float w=", "float h="):gsub("v%+=w", "v+=h")
            .. emit.text(draw, "if(t%32==31)w[t/32]=v;\n$sync\nfloat p=0,n=0;\nfor(int k=0;k<$warps;k++){\nif(k<t/32)p+=w[k];\nn+=w[k];\n}\n", {
                warps = block // 32, sync = at.race and "" or "__syncthreads();",
            }) .. store(count, before) .. "s+=n;\n__syncthreads();\n}\n",
        grid = "R", block = block,
    }
end

function scan.cumsum(draw)
    local mistake = emit.mistake(draw, { "columns", "start", "race" })
    local at = { columns = mistake == "columns" and "C-1" or "C", start = mistake == "start" and "1" or "0", race = mistake == "race" }
    local kernel = styles[draw:pick({ "thread", "warp", "block" }, at.race and { 0, 0, 1 } or { 20, 40, 40 })](draw, at)
    if emit.flag(draw, 0.2) then kernel.bounded = kernel.block end
    return emit.program(draw, { "a" }, { "R", "C" }, "", { kernel })
end

return scan
