-- CUDA programs for small windows over images o(H,W), of one channel or of many (blockIdx.z): a thread to one or more outputs in a column or
-- a row, straight from memory or through a tile in shared memory.
local emit = require "templates.cuda.emit"
local stencil = {}

-- u, v: the window's element; g: nine weights. tall, wide: of the input.
local function weighted(value) return "s+=" .. value .. "*g[u*3+v];" end
local function sum(value) return "s+=" .. value .. ";" end
local function largest(value) return "s=fmaxf(s," .. value .. ");" end

local cases = {
    conv3x3 = { inputs = { "a", "w" }, sizes = { "H", "W" }, weights = "w", size = 3, stride = 1, start = "0", add = weighted },
    depthwise_conv3x3 = {
        inputs = { "a", "w" }, sizes = { "C", "H", "W" }, weights = "w+9*blockIdx.z", channels = "C", size = 3, stride = 1, start = "0",
        add = weighted,
    },
    average_pool = { inputs = { "a" }, sizes = { "H", "W" }, size = 2, stride = 2, start = "0", add = sum, last = "s*.25f" },
    max_pool = { inputs = { "a" }, sizes = { "H", "W" }, size = 2, stride = 2, add = largest },
}
for _, case in pairs(cases) do
    case.tall, case.wide = case.stride == 1 and "H+2" or "2*H", case.stride == 1 and "W+2" or "2*W"
end

local function index(step, name, window, stride)
    local at = stride == 1 and name or stride .. "*" .. (name:find("[+]") and "(" .. name .. ")" or name)
    return "(" .. at .. "+" .. window .. ")*(" .. step .. ")"
end

local styles = {}

-- The window of one output, as a loop.
local function window(draw, case, value)
    local unrolled = emit.flag(draw, 0.5) and "#pragma unroll\n" or ""
    return unrolled .. ("for(int u=0;u<%d;u++)\n%sfor(int v=0;v<%d;v++)%s"):format(case.size, unrolled, case.size, case.add(value))
end

function styles.direct(draw, case, at)
    local hint = draw:pick({ "", "__ldg" }, { 65, 35 })
    local place = index(case.wide, "i", "u", case.stride) .. "+" .. (case.stride == 1 and "j" or case.stride .. "*j") .. "+v"
    local value = hint == "" and "a[" .. place .. "]" or "__ldg(a+" .. place .. ")"
    local origin = "a[" .. index(case.wide, "i", "0", case.stride):gsub("%+0", "") .. "+" .. (case.stride == 1 and "j" or case.stride .. "*j") .. "]"
    return emit.text(draw, "$channel\n$weights\nlong j=blockIdx.x*$columns+threadIdx.x;\n$unroll\nfor(int q=0;q<$each;q++){\n"
        .. "long i=blockIdx.y*$rows+threadIdx.y+q*$high;\nif(i>=$tall||j>=W)continue;\nfloat s=$start;\n$window\no[i*W+j]=$last;\n}\n", {
            channel = at.channel, weights = at.weights, columns = at.wide, rows = at.high * at.each, high = at.high, each = at.each, tall = at.tall,
            start = case.start or origin, window = window(draw, case, value), last = case.last or "s",
        })
end

-- The block's part of the input goes to shared memory first.
function styles.tiled(draw, case, at)
    local halo = case.size - case.stride
    local tall, wide = case.stride * at.high * at.each + halo, case.stride * at.wide + halo
    local function cell(u, v)
        local row, column = "(threadIdx.y+q*" .. at.high .. ")", "threadIdx.x"
        if case.stride > 1 then row, column = case.stride .. "*" .. row, case.stride .. "*" .. column end
        return ("t[%s+%s][%s+%s]"):format(row, u, column, v)
    end
    return emit.text(draw, "__shared__ float t[$tall][$wide];\n$channel\n$weights\nlong y=(long)blockIdx.y*$down,x=(long)blockIdx.x*$right;\n"
        .. "for(int e=threadIdx.y*$columns+threadIdx.x;e<$cells;e+=$threads){\nlong i=y+e/$wide,j=x+e%$wide;\n"
        .. "t[e/$wide][e%$wide]=i<$bottom&&j<$side?a[i*($side)+j]:0;\n}\n"
        .. "$sync\n$unroll\nfor(int q=0;q<$each;q++){\nlong i=blockIdx.y*$rows+threadIdx.y+q*$high,j=blockIdx.x*$columns+threadIdx.x;\n"
        .. "if(i>=$limit||j>=W)continue;\nfloat s=$start;\n$window\no[i*W+j]=$last;\n}\n", {
            tall = tall, wide = wide, cells = tall * wide, channel = at.channel, weights = at.weights, down = case.stride * at.high * at.each,
            right = case.stride * at.wide, columns = at.wide, threads = at.wide * at.high, bottom = case.tall, side = case.wide,
            rows = at.high * at.each, high = at.high, each = at.each, limit = at.tall, start = case.start or cell("0", "0"),
            sync = at.race and "" or "__syncthreads();",
            window = window(draw, case, cell("u", "v")), last = case.last or "s",
        })
end

for name, case in pairs(cases) do
    stencil[name] = function(draw)
        local mistake = emit.mistake(draw, { "bound", "race" })
        local at = {
            wide = draw:pick({ 32, 64, 128 }, { 50, 30, 20 }), high = draw:pick({ 1, 2, 4, 8 }, { 1, 1, 1, 1 }),
            each = draw:pick({ 1, 2, 4, 8 }, { 40, 25, 20, 15 }),
            tall = mistake == "bound" and "H-1" or "H", race = mistake == "race", weights = "",
            channel = case.channels and ("a+=blockIdx.z*(%s)*(%s);\no+=blockIdx.z*H*W;"):format(case.tall, case.wide) or "",
        }
        if case.weights then
            local held = draw:pick({ "const float*g=$w;", "float g[9];\nfor(int e=0;e<9;e++)g[e]=($w)[e];" }, { 50, 50 })
            at.weights = held:gsub("%$w", case.weights):gsub("%(w%)", "w")
        end
        local kernel = {
            body = styles[draw:pick({ "direct", "tiled" }, at.race and { 0, 1 } or { 55, 45 })](draw, case, at),
            block = ("{%d,%d}"):format(at.wide, at.high),
            grid = ("{ceil_div(W,%d),ceil_div(H,%d)%s}"):format(at.wide, at.high * at.each, case.channels and "," .. case.channels or ""),
        }
        return emit.program(draw, case.inputs, case.sizes, "", { kernel })
    end
end

return stencil
