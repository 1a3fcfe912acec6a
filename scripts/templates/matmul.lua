-- Programs for o(M,N) = a b and its special cases. What differs is how an element of a is read and where the sum over q ends.
local emit = require "templates.emit"
local matmul = {}

local function bracket(i) return i:find("+", 1, true) and "(" .. i .. ")" or i end

-- read(i): the factor of b[q*N+j] in row i; depth: the end of the sum over q
local cases = {
    plain = { sizes = { "M", "K", "N" }, depth = "K", read = function(i) return "a[" .. bracket(i) .. "*K+q]" end },
    transposed = { sizes = { "K", "M", "N" }, depth = "K", read = function(i) return "a[q*M+" .. i .. "]" end },
    lower = { sizes = { "M", "N" }, depth = "M", read = function(i) return "a[" .. bracket(i) .. "*M+q]" end },
}

-- In the dense form of a triangle the upper half is replaced by zeros; the short form ends the sum at the diagonal.
local function factor(case, i)
    return case.masked and "(q<=" .. i .. "?" .. case.read(i) .. ":0)" or case.read(i)
end

local styles = {}

function styles.dot(draw, case)
    case.head, case.factor = emit.summing(draw, "s"), factor(case, "i")
    return emit.text(draw, [[
$parallel
for(int i=0;i<$rows;i++)
for(int j=0;j<N;j++){
float s=$start;
$head
for(int q=0;q<$finish;q++)s+=$factor*b[q*N+j];
o[i*N+j]=s;
}
]], case)
end

function styles.axpy(draw, case)
    case.factor = factor(case, "i")
    local inner = draw:pick({
        "for(int q=0;q<$finish;q++){\nfloat t=$factor;\n$pragma\nfor(int j=0;j<N;j++)o[i*N+j]+=t*b[q*N+j];\n}\n",
        "for(int q=0;q<$finish;q++)\n$pragma\nfor(int j=0;j<N;j++)o[i*N+j]+=$factor*b[q*N+j];\n",
    }, { 60, 40 })
    return emit.text(draw, [[
$parallel
for(int i=0;i<$rows;i++){
$pragma
for(int j=0;j<N;j++)o[i*N+j]=$start;
]] .. inner .. "}\n", case)
end

-- A strip of one row: `width` sums in a local array.
function styles.strip(draw, case)
    case.width, case.factor = draw:pick({ 16, 32, 64 }, { 35, 35, 30 }), factor(case, "i")
    if case.narrow then case.width = 16 end
    return emit.text(draw, [[
$parallel
for(int i=0;i<$rows;i++)
for(int j=0;j<N;j+=$width){
float s[$width]={$first};
for(int q=0;q<$finish;q++){
float t=$factor;
$pragma
for(int u=0;u<$width;u++)s[u]+=t*b[q*N+j+u];
}
$pragma
for(int u=0;u<$width;u++)o[i*N+j+u]=s[u];
}
]], case)
end

-- A tile of high x (16 * wide) sums in registers.
function styles.tile(draw, case)
    local high, wide = draw:pick({ 1, 2, 4, 8 }, { 30, 30, 25, 15 }), case.narrow and 1 or draw:pick({ 1, 2, 4 }, { 40, 35, 25 })
    case.high, case.wide, case.width, case.full = high, wide, 16 * wide, draw:pick({ "", "#pragma GCC unroll 8" }, { 50, 50 })
    case.lanes = emit.text(draw, "$full\nfor(int u=0;u<$high;u++)\n$full\nfor(int v=0;v<$wide;v++)", case)
    if case.finish == "i+1" then case.finish, case.masked = "i+" .. high, high > 1 end
    case.factor = factor(case, "i+u")
    local i, j = "for(int i=0;i<$rows;i+=$high)", "for(int j=0;j<N;j+=$width)"
    case.loops = emit.text(draw, draw:pick({ i .. "\n" .. j, j .. "\n" .. i }, { 60, 40 }), case)
    case.inner = emit.text(draw, draw:pick({
        "for(int q=0;q<$finish;q++)\n$lanes\ns[u][v]+=$factor**(V*)(b+q*N+j+16*v);\n",
        "for(int q=0;q<$finish;q++)\n$full\nfor(int u=0;u<$high;u++){\nfloat t=$factor;\n$full\nfor(int v=0;v<$wide;v++)"
            .. "s[u][v]+=t**(V*)(b+q*N+j+16*v);\n}\n",
    }, { 60, 40 }), case)
    return emit.text(draw, [[
$parallel
$loops{
V s[$high][$wide]={$first};
$inner
$lanes
*(V*)(o+(i+u)*N+j+16*v)=s[u][v];
}
]], case)
end

local function product(name, narrow)
    return function(draw)
        local mistake, kind = emit.mistake(draw, { "bound", "start", "depth" }), cases[name]
        local short = name == "lower" and emit.flag(draw, 0.35)
        local finish = short and "i+1" or kind.depth
        if mistake == "depth" then finish = short and "i" or kind.depth .. "-1" end
        local style = draw:pick({ "dot", "axpy", "strip", "tile" }, { 30, 25, 20, 25 })
        return emit.program(draw, { "a", "b" }, kind.sizes, styles[style](draw, {
            read = kind.read, masked = name == "lower" and not short, narrow = narrow, finish = finish,
            rows = mistake == "bound" and "M-8" or "M", start = mistake == "start" and "1" or "0", first = mistake == "start" and "1" or "",
        }))
    end
end

matmul.matmul = product("plain")
matmul.tall_skinny = product("plain", true)
matmul.transposed = product("transposed")
matmul.lower = product("lower")

-- diag(a) b: a vector a scales the rows of b.
local diagonals = {}

-- What it says, with all those zeros.
function diagonals.dense(draw, case)
    return emit.text(draw, [[
$parallel
for(int i=0;i<$rows;i++)
for(int j=0;j<N;j++){
float s=0;
$pragma
for(int q=0;q<M;q++)s+=(q==i?a[$index]:0)*b[q*N+j];
o[i*N+j]=s;
}
]], case)
end

function diagonals.rows(draw, case)
    local form = draw:pick({
        { "", "o[i*N+j]=a[$index]*b[i*N+j];" }, { "float t=a[$row];\n", "o[i*N+j]=t*b[i*N+j];" },
        { "const float*x=b+i*N;\nfloat*y=o+i*N;\n", "y[j]=a[$index]*x[j];" },
        { "const float*__restrict x=b+i*N;\nfloat*__restrict y=o+i*N;\n", "y[j]=a[$index]*x[j];" },
    }, { 35, 25, 25, 15 })
    case.row = case.index == "i" and "i" or "0"
    return emit.text(draw, "$parallel\nfor(int i=0;i<$rows;i++){\n" .. form[1] .. "$pragma\nfor(int j=0;j<N;j++)" .. form[2] .. "\n}\n", case)
end

function diagonals.columns(draw, case)
    return emit.text(draw, "$parallel\nfor(int j=0;j<N;j++)\n$pragma\nfor(int i=0;i<$rows;i++)o[i*N+j]=a[$index]*b[i*N+j];\n", case)
end

function diagonals.tiled(draw, case)
    case.block = draw:pick({ 8, 16, 32, 64 }, { 1, 1, 1, 1 })
    local i, q = "for(int i=0;i<$rows;i++)\n", "for(int q=0;q<N;q+=$block)\n"
    local outer = draw:pick({ i .. q, q .. i }, { 50, 50 })
    return emit.text(draw, "$parallel\n" .. outer .. "$pragma\nfor(int j=q;j<q+$block;j++)o[i*N+j]=a[$index]*b[i*N+j];\n", case)
end

function diagonals.vector(draw, case)
    local high, wide = draw:pick({ 1, 2, 4 }, { 50, 30, 20 }), draw:pick({ 1, 2, 4 }, { 50, 30, 20 })
    case.high, case.width = high, 16 * wide
    case.puts = emit.repeated(high, function(u)
        return emit.repeated(wide, function(v)
            local at = emit.plus((u == 0 and "i*N" or "(i+" .. u .. ")*N") .. "+j", 16 * v)
            return "*(V*)(o+" .. at .. ")=a[" .. emit.plus(case.index, u) .. "]**(V*)(b+" .. at .. ");\n"
        end)
    end)
    return emit.text(draw, "$parallel\nfor(int i=0;i<$rows;i+=$high)\n$unroll\nfor(int j=0;j<N;j+=$width){\n$puts\n}\n", case)
end

function matmul.diagonal(draw)
    local mistake = emit.mistake(draw, { "bound", "index" })
    local style = draw:pick({ "dense", "rows", "columns", "tiled", "vector" }, { 35, 20, 15, 15, 15 })
    local case = { rows = mistake == "bound" and "M-8" or "M", index = mistake == "index" and "j" or "i" }
    return emit.program(draw, { "a", "b" }, { "M", "N" }, diagonals[style](draw, case))
end

return matmul
