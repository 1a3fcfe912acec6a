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
    return emit.parallel(draw) .. "for(int i=0;i<" .. case.rows .. ";i++)\nfor(int j=0;j<N;j++){\nfloat s=" .. case.start .. ";\n"
        .. draw:pick({ "", "#pragma omp simd reduction(+:s)\n",
        "#pragma GCC unroll 4\n", "#pragma GCC unroll 8\n" }, { 60, 20, 10, 10 }) .. "for(int q=0;q<" .. case.finish .. ";q++)s+="
            .. factor(case, "i") .. "*b[q*N+j];\no[i*N+j]=s;\n}\n"
end

function styles.axpy(draw, case)
    local direct = emit.flag(draw, 0.4)
    return emit.parallel(draw) .. "for(int i=0;i<" .. case.rows .. ";i++){\n" .. emit.pragma(draw) .. "for(int j=0;j<N;j++)o[i*N+j]="
        .. case.start .. ";\nfor(int q=0;q<" .. case.finish .. ";q++)"
        .. (direct and "\n" or "{\nfloat t=" .. factor(case, "i") .. ";\n") .. emit.pragma(draw) .. "for(int j=0;j<N;j++)o[i*N+j]+="
            .. (direct and factor(case, "i") or "t") .. "*b[q*N+j];\n"
        .. (direct and "" or "}\n") .. "}\n"
end

-- A strip of one row: width sums in a local array.
function styles.strip(draw, case)
    local width = draw:pick({ 16, 32, 64 }, { 35, 35, 30 })
    if case.narrow then width = 16 end
    return emit.parallel(draw) .. "for(int i=0;i<" .. case.rows .. ";i++)\nfor(int j=0;j<N;j+=" .. width .. "){\nfloat s[" .. width
        .. "]={" .. (case.start == "0" and "" or "1") .. "};\nfor(int q=0;q<" .. case.finish .. ";q++){\n"
        .. "float t=" .. factor(case, "i") .. ";\n" .. emit.pragma(draw) .. "for(int u=0;u<" .. width .. ";u++)s[u]+=t*b[q*N+j+u];\n}\n"
        .. emit.pragma(draw) .. "for(int u=0;u<" .. width .. ";u++)o[i*N+j+u]=s[u];\n}\n"
end

-- A tile of rows x (16 * wide) sums in registers.
function styles.tile(draw, case)
    local high, wide = draw:pick({ 1, 2, 4, 8 }, { 30, 30, 25, 15 }), draw:pick({ 1, 2, 4 }, { 40, 35, 25 })
    if case.narrow then wide = 1 end
    local order = draw:pick({ "ij", "ji" }, { 60, 40 })
    local unroll = draw:pick({ "", "#pragma GCC unroll 8\n" }, { 50, 50 })
    local i, j = "for(int i=0;i<" .. case.rows .. ";i+=" .. high .. ")", "for(int j=0;j<N;j+=" .. 16 * wide .. ")"
    local outer, inner = order == "ij" and i or j, order == "ij" and j or i
    local lanes = unroll .. "for(int u=0;u<" .. high .. ";u++)\n" .. unroll .. "for(int v=0;v<" .. wide .. ";v++)"
    local finish = case.finish == "i+1" and "i+" .. high or case.finish
    local tile = { read = case.read, masked = case.masked or (case.finish == "i+1" and high > 1) }
    local load = "*(V*)(b+q*N+j+16*v)"
    local body
    if emit.flag(draw, 0.4) then
        body = "for(int q=0;q<" .. finish .. ";q++){\n" .. unroll .. "for(int u=0;u<" .. high .. ";u++){\nfloat t="
            .. factor(tile, "i+u") .. ";\n" .. unroll
            .. "for(int v=0;v<" .. wide .. ";v++)s[u][v]+=t*" .. load .. ";\n}\n}\n"
    else
        body = "for(int q=0;q<" .. finish .. ";q++)\n" .. lanes .. "s[u][v]+=" .. factor(tile, "i+u") .. "*" .. load .. ";\n"
    end
    return emit.parallel(draw) .. outer .. "\n" .. inner .. "{\nV s[" .. high .. "][" .. wide .. "]={"
        .. (case.start == "0" and "" or "1") .. "};\n" .. body
        .. lanes .. "*(V*)(o+(i+u)*N+j+16*v)=s[u][v];\n}\n"
end

local function product(name, narrow)
    return function(draw)
        local mistake = emit.mistake(draw, { "bound", "start", "depth" })
        local case = { read = cases[name].read, depth = cases[name].depth, narrow = narrow, rows = mistake == "bound" and "M-8" or "M" }
        local short = name == "lower" and emit.flag(draw, 0.35)
        case.masked = name == "lower" and not short
        case.start = mistake == "start" and "1" or "0"
        case.finish = short and "i+1" or case.depth
        if mistake == "depth" then
            if short then case.finish = "i" else case.finish = case.depth .. "-1" end
        end
        local style = draw:pick({ "dot", "axpy", "strip", "tile" }, { 30, 25, 20, 25 })
        return emit.program(draw, { "a", "b" }, cases[name].sizes, styles[style](draw, case))
    end
end

matmul.matmul = product("plain")
matmul.tall_skinny = product("plain", true)
matmul.transposed = product("transposed")
matmul.lower = product("lower")

-- diag(a) b: a vector a scales the rows of b. The dense form multiplies by all those zeros.
local diagonals = {}

function diagonals.dense(draw, case)
    local read = "(q==i?a[" .. case.index .. "]:0)"
    return emit.parallel(draw) .. "for(int i=0;i<" .. case.rows .. ";i++)\nfor(int j=0;j<N;j++){\nfloat s=0;\n" .. emit.pragma(draw)
        .. "for(int q=0;q<M;q++)s+=" .. read .. "*b[q*N+j];\no[i*N+j]=s;\n}\n"
end

function diagonals.rows(draw, case)
    local form = draw:pick({ "index", "scalar", "pointer", "restrict" }, { 35, 25, 25, 15 })
    local open = { restrict = "const float*__restrict x=b+i*N;\nfloat*__restrict y=o+i*N;\n", index = "", scalar = "float t=a["
        .. (case.index == "i" and "i" or "0") .. "];\n", pointer = "const float*x=b+i*N;\nfloat*y=o+i*N;\n" }
    local body = { index = "o[i*N+j]=a[" .. case.index .. "]*b[i*N+j];\n", scalar = "o[i*N+j]=t*b[i*N+j];\n", pointer = "y[j]=a["
        .. case.index .. "]*x[j];\n" }
    body.restrict = body.pointer
    return emit.parallel(draw) .. "for(int i=0;i<" .. case.rows .. ";i++){\n" .. open[form] .. emit.pragma(draw)
        .. "for(int j=0;j<N;j++)" .. body[form] .. "}\n"
end

function diagonals.columns(draw, case)
    return emit.parallel(draw) .. "for(int j=0;j<N;j++)\n" .. emit.pragma(draw) .. "for(int i=0;i<" .. case.rows .. ";i++)o[i*N+j]=a["
        .. case.index .. "]*b[i*N+j];\n"
end

function diagonals.tiled(draw, case)
    local block, unroll = draw:pick({ 8, 16, 32, 64 }, { 1, 1, 1, 1 }), emit.pragma(draw)
    local order = draw:pick({ "ij", "ji" }, { 50, 50 })
    local i, j = "for(int i=0;i<" .. case.rows .. ";i++)\n", "for(int q=0;q<N;q+=" .. block .. ")\n"
    return emit.parallel(draw) .. (order == "ij" and i .. j or j .. i) .. unroll .. "for(int j=q;j<q+" .. block .. ";j++)o[i*N+j]=a["
        .. case.index .. "]*b[i*N+j];\n"
end

function diagonals.vector(draw, case)
    local high, wide = draw:pick({ 1, 2, 4 }, { 50, 30, 20 }), draw:pick({ 1, 2, 4 }, { 50, 30, 20 })
    local text = {}
    for u = 0, high - 1 do
        for v = 0, wide - 1 do
            local at = emit.plus((u == 0 and "i*N" or "(i+" .. u .. ")*N") .. "+j", 16 * v)
            text[#text + 1] = "*(V*)(o+" .. at .. ")=a[" .. emit.plus(case.index, u) .. "]**(V*)(b+" .. at .. ");\n"
        end
    end
    local unroll = draw:pick({ "", "#pragma GCC unroll 2\n", "#pragma GCC unroll 4\n", "#pragma GCC unroll 8\n" }, { 55, 15, 15, 15 })
    return emit.parallel(draw) .. "for(int i=0;i<" .. case.rows .. ";i+=" .. high .. ")\n" .. unroll .. "for(int j=0;j<N;j+="
        .. 16 * wide .. "){\n" .. table.concat(text) .. "}\n"
end

function matmul.diagonal(draw)
    local mistake = emit.mistake(draw, { "bound", "index" })
    local case = { rows = mistake == "bound" and "M-8" or "M", index = mistake == "index" and "j" or "i" }
    local style = draw:pick({ "dense", "rows", "columns", "tiled", "vector" }, { 35, 20, 15, 15, 15 })
    return emit.program(draw, { "a", "b" }, { "M", "N" }, diagonals[style](draw, case))
end

return matmul
