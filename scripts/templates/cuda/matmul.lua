-- CUDA programs for products of matrices: a thread to an element, a tile of shared memory, and tiles of registers over it. In the text m, n
-- and k are where the block's tile begins; a tile's element is (u along k, v along m or n).
local emit = require "templates.cuda.emit"
local matmul = {}

-- Where elements lie, whether neighbours along k are neighbours in memory (deep), what counts. batch: one product for each blockIdx.z.
local normal, across, both = { "M", "K", "N" }, "(k+u)*N+n+v", { "a", "b" }
local along_a, along_b, batch_sizes = "(m+v)*K+k+u", "(n+v)*K+k+u", { "B", "M", "K", "N" }
local cases = {
    general = { inputs = both, sizes = normal, a = along_a, deep_a = true, b = across },
    transposed = { inputs = both, sizes = { "K", "M", "N" }, a = "(k+u)*M+m+v", b = across },
    lower = { inputs = both, sizes = { "M", "N" }, a = "(m+v)*M+k+u", deep_a = true, b = across, lower = true, depth = "M" },
    batched = { inputs = both, sizes = batch_sizes, a = along_a, deep_a = true, b = across, batch = true },
    strided = { inputs = both, sizes = batch_sizes, a = along_a, deep_a = true, b = along_b, deep_b = true, batch = true },
    conv1x1 = {
        inputs = { "b", "a" }, sizes = { "K", "H", "W", "M" }, a = along_a, deep_a = true, b = across, open = "long N=H*W;\n", columns = "H*W",
    },
    bias_relu = { inputs = { "a", "b", "c" }, sizes = normal, a = along_a, deep_a = true, b = across, last = "fmaxf($s+c[$n],0)" },
    linear_swish_scale = {
        inputs = { "a", "b", "c" }, sizes = normal, a = along_a, deep_a = true, b = along_b, deep_b = true, last = "f($s+c[$n])",
        ways = { "return 2*t/(1+E(-t));", "return __fdividef(2*t,1+E(-t));", "return t/(.5f+.5f*E(-t));" },
    },
}

local function last(case, sum, column)
    return (case.last or "$s"):gsub("%$(%l)", { s = sum, n = column })
end

-- What becomes of a sum.
local function functions(draw, case)
    if not case.ways then return "" end
    local way = draw:pick(case.ways, { 40, 30, 30 }):gsub("E%(", emit.exponential(draw) .. "(")
    return "__device__ float f(float t){\n" .. way .. "\n}\n"
end

local function open(case)
    return case.open or case.batch and "a+=blockIdx.z*M*K;\nb+=blockIdx.z*K*N;\no+=blockIdx.z*M*N;\n" or ""
end

local function grid(case, high, wide)
    return ("{ceil_div(%s,%d),ceil_div(M,%d)%s}"):format(case.columns or "N", wide, high, case.batch and ",B" or "")
end

-- v is 0 where m or n is the element's own.
local function element(index) return (index:gsub("%((%l)%+v%)", "%1"):gsub("%+v", ""):gsub("%((k)%+u%)", "%1"):gsub("%+u", "")) end

local styles = {}

function styles.plain(draw, case, at)
    local wide, high = draw:pick({ 16, 32 }, { 50, 50 }), draw:pick({ 4, 8, 16 }, { 1, 1, 1 })
    return {
        body = emit.text(draw, "$open\nlong n=blockIdx.x*$wide+threadIdx.x,m=blockIdx.y*$high+threadIdx.y;\n"
            .. "if(m>=M||n>=N)return;\nfloat s=0;\n$unroll\nfor(long k=0;k<$depth;k++)s+=a[$a]*b[$b];\no[m*N+n]=$last;\n", {
                open = open(case), wide = wide, high = high, depth = case.lower and "m+1" or at.depth, a = element(case.a), b = element(case.b),
                last = last(case, "s", "n"),
            }):gsub("\n\n", "\n"),
        grid = grid(case, high, wide), block = ("{%d,%d}"):format(wide, high),
    }
end

-- The loop that brings a tile to shared memory (or to registers p, q, from which it goes there later).
local function bring(tile, to)
    local u, v = "i/" .. tile.span, "i%" .. tile.span
    if tile.deep then u, v = "i%" .. tile.deep, "i/" .. tile.deep end
    return ("for(int z=0;z<%d;z++){\nint i=t+z*%d,u=%s,v=%s;\n%s\n}\n"):format(tile.each, tile.threads, u, v, to)
end

local function tiles(case, at)
    local function one(matrix, shared, counts, span, deep)
        return {
            span = span, deep = deep and at.deep or nil, each = at.deep * span // at.threads, threads = at.threads,
            value = ("k+u<%s&&%s?%s:0"):format(at.depth, counts, matrix), cell = shared .. "[u][v]", register = shared:lower() .. "[z]",
        }
    end
    local below = case.lower and "&&k+u<=m+v" or ""
    return one("a[" .. case.a .. "]", "P", "m+v<M" .. below, at.high, case.deep_a), one("b[" .. case.b .. "]", "Q", "n+v<N", at.wide, case.deep_b)
end

-- The block's tile of high x wide elements, each thread's of tall x broad, over slices of `deep` along k.
function styles.registers(draw, case, at)
    at.tall, at.broad = draw:pick({ 1, 2, 4, 8 }, { 15, 15, 40, 30 }), draw:pick({ 1, 2, 4, 8 }, { 15, 15, 40, 30 })
    at.rows, at.columns, at.deep = draw:pick({ 8, 16 }, { 40, 60 }), draw:pick({ 8, 16 }, { 20, 80 }), draw:pick({ 8, 16, 32 }, { 40, 40, 20 })
    at.high, at.wide, at.threads = at.rows * at.tall, at.columns * at.broad, at.rows * at.columns
    while at.deep * math.min(at.high, at.wide) < at.threads do at.deep = 2 * at.deep end
    local a, b = tiles(case, at)
    local near = emit.flag(draw, 0.6)
    local row = (near and ("y*%d+i"):format(at.tall) or ("y+i*%d"):format(at.rows)):gsub("%*1%+", "+")
    local column = (near and ("x*%d+j"):format(at.broad) or ("x+j*%d"):format(at.columns)):gsub("%*1%+", "+")
    local ahead, pad = emit.flag(draw, 0.4), draw:pick({ 0, 4 }, { 55, 45 })
    local values = {
        open = open(case), deep = at.deep, columns = at.columns, high = at.high, wide = at.wide, tall = at.tall, broad = at.broad,
        row = row, column = column,
        padded = at.high + (case.deep_a and pad or 0), broader = at.wide + (case.deep_b and pad or 0), sync = at.race and "" or "__syncthreads();",
        limit = case.lower and ("min(M,m+%d)"):format(at.high) or at.depth, last = last(case, "s[i][j]", "n+" .. column),
    }
    if ahead then
        values.first = ("float p[%d],q[%d];\nauto fetch=[&](long k){\n"):format(a.each, b.each) .. bring(a, a.register .. "=" .. a.value .. ";")
            .. bring(b, b.register .. "=" .. b.value .. ";") .. "};\nfetch(0);\n"
        values.load = bring(a, a.cell .. "=" .. a.register .. ";") .. bring(b, b.cell .. "=" .. b.register .. ";")
        values.after = "fetch(k+" .. at.deep .. ");\n"
    else
        values.first, values.after = "", ""
        values.load = bring(a, a.cell .. "=" .. a.value .. ";") .. bring(b, b.cell .. "=" .. b.value .. ";")
    end
    local text = [[
$open
__shared__ float P[$deep][$padded],Q[$deep][$broader];
int t=threadIdx.x,x=t%$columns,y=t/$columns;
long m=blockIdx.y*$high,n=blockIdx.x*$wide;
float s[$tall][$broad]={};
$first
for(long k=0;k<$limit;k+=$deep){
$load
$sync
$after
$unroll
for(int u=0;u<$deep;u++)
for(int i=0;i<$tall;i++)
for(int j=0;j<$broad;j++)s[i][j]+=P[u][$row]*Q[u][$column];
__syncthreads();
}
for(int i=0;i<$tall;i++)
for(int j=0;j<$broad;j++)if(m+$row<M&&n+$column<N)o[(m+$row)*N+n+$column]=$last;
]]
    return { body = emit.text(draw, text, values):gsub("\n\n+", "\n"), grid = grid(case, at.high, at.wide), block = at.threads }
end

local function product(name)
    return function(draw)
        local case, mistake = cases[name], emit.mistake(draw, { "bound", "race" })
        local depth = case.depth or "K"
        local at = { depth = mistake == "bound" and "(" .. depth .. "-1)" or depth, race = mistake == "race" }
        local kernel = styles[draw:pick({ "plain", "registers" }, at.race and { 0, 1 } or { 20, 80 })](draw, case, at)
        if emit.flag(draw, 0.25) and tonumber(kernel.block) then kernel.bounded = kernel.block end
        return emit.program(draw, case.inputs, case.sizes, functions(draw, case), { kernel })
    end
end

for name in pairs(cases) do matmul[name] = product(name) end

return matmul
