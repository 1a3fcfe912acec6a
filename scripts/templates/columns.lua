-- Programs that reduce across rows: sums of columns, batch norm.
local emit = require "templates.emit"
local columns = {}

local sums = {}

function sums.column(draw, rows, start)
    return emit.parallel(draw) .. "for(int j=0;j<C;j++){\nfloat s=" .. start .. ";\n" .. emit.pragma(draw) .. "for(int i=0;i<" .. rows
        .. ";i++)s+=a[i*C+j];\no[j]=s;\n}\n"
end

local function clear(draw, start) return emit.pragma(draw) .. "for(int j=0;j<C;j++)o[j]=" .. start .. ";\n" end

-- o[j] += count neighbouring rows
local function add_rows(count)
    local terms = {}
    for u = 0, count - 1 do terms[#terms + 1] = "a[" .. (u == 0 and "i" or "(i+" .. u .. ")") .. "*C+j]" end
    return "o[j]+=" .. table.concat(terms, "+") .. ";\n"
end

function sums.row(draw, rows, start, race)
    local count = draw:pick({ 1, 2, 4 }, { 60, 20, 20 })
    return clear(draw, start) .. (race and "#pragma omp parallel for\n" or "") .. "for(int i=0;i<" .. rows .. ";i+=" .. count .. ")\n"
        .. emit.pragma(draw) .. "for(int j=0;j<C;j++)" .. add_rows(count)
end

function sums.blocked(draw, rows, start)
    local block, count = draw:pick({ 16, 32, 64 }, { 1, 1, 1 }), draw:pick({ 1, 2, 4 }, { 60, 20, 20 })
    return clear(draw, start) .. emit.parallel(draw) .. "for(int q=0;q<C;q+=" .. block .. ")\nfor(int i=0;i<" .. rows .. ";i+=" .. count
        .. ")\n"
        .. emit.pragma(draw) .. "for(int j=q;j<q+" .. block .. ";j++)" .. add_rows(count)
end

function sums.vector(draw, rows, start)
    local count, step = draw:pick({ 1, 2, 4 }, { 45, 30, 25 }), draw:pick({ 1, 2 }, { 70, 30 })
    local adds, puts, names = {}, {}, {}
    for u = 0, count - 1 do
        local name, at = "S" .. (count == 1 and "" or u), emit.plus("j", 16 * u)
        names[#names + 1] = name .. "=" .. (start == "0" and "{}" or "{1}")
        adds[#adds + 1] = name .. "+=*(V*)(a+i*C+" .. at .. ")" .. (step == 2 and "+*(V*)(a+i*C+C+" .. at .. ")" or "") .. ";"
        puts[#puts + 1] = "*(V*)(o+" .. at .. ")=" .. name .. ";"
    end
    return emit.parallel(draw) .. "for(int j=0;j<C;j+=" .. 16 * count .. "){\nV " .. table.concat(names, ",") .. ";\nfor(int i=0;i<"
        .. rows .. ";i+=" .. step .. "){\n"
        .. table.concat(adds) .. "\n}\n" .. table.concat(puts) .. "\n}\n"
end

function columns.column_sum(draw)
    local mistake = emit.mistake(draw, { "bound", "start", "race" })
    local style = mistake == "race" and "row" or draw:pick({ "column", "row", "blocked", "vector" }, { 30, 30, 20, 20 })
    return emit.program(draw, { "a" }, { "R", "C" }, sums[style](draw, mistake == "bound" and "R-4" or "R",
        mistake == "start" and "1" or "0", mistake == "race"))
end

-- Sums over the batch of one channel: into is a list of {variable, term of x[j]}.
local function channel_sums(draw, into, start)
    local style = draw:pick({ "one", "simd", "vector" }, { 50, 30, 20 })
    local names, adds, folds = {}, {}, {}
    for i, sum in ipairs(into) do
        local name, element = style == "vector" and sum[1] .. sum[1] or sum[1], style == "vector" and "*(V*)(x+j)" or "x[j]"
        names[i] = name .. "=" .. (style == "vector" and "{}" or start)
        adds[i] = name .. "+=" .. sum[2]:gsub("X", element) .. ";"
        folds[i] = sum[1] .. "+=" .. name .. "[q];"
    end
    local list = {}
    for i, sum in ipairs(into) do list[i] = sum[1] end
    local head = style == "one" and draw:pick({ "", "#pragma GCC unroll 4\n" }, { 75, 25 }) or ""
    if style == "simd" then head = "#pragma omp simd reduction(+:" .. table.concat(list, ",") .. ")"
        .. draw:pick({ "\n", " simdlen(16)\n" }, { 60, 40 }) end
    local loop = (style == "vector" and "V " or "float ") .. table.concat(names, ",")
        .. ";\nfor(int n=0;n<B;n++){\nconst float*x=a+(n*C+c)*S;\n" .. head
        .. "for(int j=0;j<S;j" .. (style == "vector" and "+=16" or "++") .. "){\n" .. table.concat(adds) .. "\n}\n}\n"
    if style == "vector" then
        loop = loop .. "float " .. table.concat(list, "=" .. start .. ",") .. "=" .. start .. ";\nfor(int q=0;q<16;q++){\n"
            .. table.concat(folds) .. "\n}\n"
    end
    return loop
end

-- Statistics of the batch, per channel: a(B,C,S).
function columns.batch_norm(draw)
    local mistake = emit.mistake(draw, { "bound", "start", "bias" })
    local start, text, variance = mistake == "start" and "S" or "0", "", "s/(B*S)"
    if emit.flag(draw, 0.35) then
        text, variance = channel_sums(draw, { { "m", "X" }, { "s", "X*X" } }, start) .. "m/=B*S;\n", "s/(B*S)-m*m"
    else
        text = channel_sums(draw, { { "m", "X" } }, start) .. "m/=B*S;\n" .. channel_sums(draw, { { "s", "(X-m)*(X-m)" } }, "0")
    end
    local bias = mistake == "bias" and "" or "+b[c]"
    local way = draw:pick({ "scale", "affine", "divide" }, { 35, 25, 40 })
    local head = { scale = "float r=w[c]/__builtin_sqrtf($v+1e-5f);\n", affine = "float r=w[c]/__builtin_sqrtf($v+1e-5f),t="
        .. (bias == "" and "-m*r" or "b[c]-m*r") .. ";\n",
        divide = "float r=__builtin_sqrtf($v+1e-5f);\n" }
    local value = { scale = "(X-m)*r" .. bias, affine = "X*r+t", divide = "(X-m)/r*w[c]" .. bias }
    local vector = emit.flag(draw, 0.2)
    local put = vector and "for(int j=0;j<S;j+=16)*(V*)(y+j)=" or emit.pragma(draw) .. "for(int j=0;j<S;j++)y[j]="
    text = text .. emit.fill(head[way], { v = variance }) .. "for(int n=0;n<" .. (mistake == "bound" and "B-1" or "B")
        .. ";n++){\nconst float*x=a+(n*C+c)*S;\nfloat*y=o+(n*C+c)*S;\n" .. put .. value[way]:gsub("X",
            vector and "*(V*)(x+j)" or "x[j]") .. ";\n}\n"
    return emit.program(draw, { "a", "w", "b" }, { "B", "C", "S" }, emit.parallel(draw) .. "for(int c=0;c<C;c++){\n" .. text .. "}\n")
end

return columns
