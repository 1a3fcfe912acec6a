-- CUDA programs for losses that are one number, the mean of f(a,b) over N pairs: set to zero, then blocks add to it.
local emit = require "templates.cuda.emit"
local losses = {}

local ways = {
    mse = { "float d=a-b;\nreturn d*d;", "return (a-b)*(a-b);", wrong = "return fabsf(a-b);" },
    l1 = { "return fabsf(a-b);", "float d=a-b;\nreturn d<0?-d:d;", wrong = "return a-b;" },
    huber = {
        "float d=fabsf(a-b);\nreturn d<=1?.5f*d*d:d-.5f;", "float d=fabsf(a-b),m=fminf(d,1);\nreturn m*(d-.5f*m);", wrong = "float d=fabsf(a-b);\nreturn .5f*d*d;",
    },
    bce = {
        "return fmaxf(a,0)-a*b+log1pf(E(-fabsf(a)));", "return fmaxf(a,0)-a*b+__logf(1+E(-fabsf(a)));", wrong = "return log1pf(E(-fabsf(a)))-a*b;",
    },
}

-- A thread's terms: one after the other, so many neighbours at a time, all threads of the grid side by side.
local function terms(draw, width, block)
    if width == 1 then return "$unroll\nfor(long i=(long)blockIdx.x*$block+threadIdx.x;i<$limit;i+=gridDim.x*$block)s+=f(a[i],b[i]);\n" end
    local vector, sum = emit.vectors[width], {}
    local hint = draw:pick({ "", "__ldcs" }, { 65, 35 })
    for u, member in ipairs(vector) do sum[u] = ("s+=f(A%s,B%s);"):format(member, member) end
    return ("long i=(long)blockIdx.x*$block+threadIdx.x;\nif(i<N%%%d)s=f(a[N-1-i],b[N-1-i]);\n$unroll\nfor(;i<$limit/%d;i+=gridDim.x*$block){\n"
        .. "%s A=%s,B=%s;\n%s\n}\n"):format(width, width, vector.type, emit.load(width, "a", "i", hint), emit.load(width, "b", "i", hint), table.concat(sum, "\n"))
end

-- How the threads of a block bring their sums to o.
local joins = {
    each = "atomicAdd(o,s/N);\n",
    warp = "for(int d=16;d;d/=2)s+=__shfl_down_sync(~0u,s,d);\nif(threadIdx.x%32==0)atomicAdd(o,s/N);\n",
    block = "__shared__ float w[32];\nfor(int d=16;d;d/=2)s+=__shfl_down_sync(~0u,s,d);\nif(threadIdx.x%32==0)w[threadIdx.x/32]=s;\n__syncthreads();\n"
        .. "if(threadIdx.x==0){\nfor(int q=1;q<$warps;q++)s+=w[q];\natomicAdd(o,s/N);\n}\n",
}

local function mean(way)
    return function(draw)
        local mistake, block = emit.mistake(draw, { "term", "bound", "race" }), emit.block(draw)
        local text = mistake == "term" and way.wrong or draw:pick({ way[1], way[2] }, { 50, 50 })
        if text:find("E(", 1, true) then text = text:gsub("E%(", emit.exponential(draw) .. "(") end
        local join = joins[draw:pick({ "each", "warp", "block" }, { 15, 35, 50 })]
        if mistake == "race" then join = join:gsub("atomicAdd%(o,s/N%)", "o[0]+=s/N") end
        local values = { block = block, warps = block // 32, limit = mistake == "bound" and "(N-1)" or "N" }
        local body = emit.text(draw, "float s=0;\n" .. terms(draw, draw:pick({ 1, 2, 4 }, { 40, 20, 40 }), block) .. join, values)
        return emit.program(draw, { "a", "b" }, { "N" }, "__device__ float f(float a,float b){\n" .. text .. "\n}\n", {
            { set = "o" },
            { body = body, grid = draw:pick({ 132, 264, 528, 1056, 2112 }, { 1, 1, 1, 1, 1 }), block = block },
        })
    end
end

for name, way in pairs(ways) do losses[name .. "_loss"] = mean(way) end

return losses
