-- Programs for the mean squared difference of two flat arrays, one number.
local emit = require "templates.emit"
local losses = {}

local function difference(draw, index)
    local form = draw:pick({ "{\nfloat d=a[$i]-b[$i];\n$s+=d*d;\n}\n", "$s+=(a[$i]-b[$i])*(a[$i]-b[$i]);\n" }, { 60, 40 })
    return function(s) return emit.fill(form, { i = index, s = s }) end
end

local styles = {}

function styles.flat(draw, at)
    local head = at.race and "#pragma omp parallel for\n" or draw:pick({ "", "#pragma omp simd reduction(+:s)\n",
        "#pragma omp simd reduction(+:s) simdlen(16)\n", "#pragma GCC unroll 4\n",
        "#pragma GCC unroll 8\n", "#pragma omp parallel for reduction(+:s)\n", "#pragma omp parallel for simd reduction(+:s)\n" }, { 45,
            12, 8, 10, 10, 8, 7 })
    return draw:pick({ "float", "double" }, { 75, 25 }) .. " s=" .. at.start .. ";\n" .. head .. "for(int i=0;i<" .. at.limit .. ";i++)"
        .. difference(draw, "i")("s")
end

function styles.several(draw, at)
    local count, put = draw:pick({ 2, 4, 8, 16 }, { 1, 1, 1, 1 }), difference(draw, "i+u")
    local unroll = draw:pick({ "", "#pragma GCC unroll 8\n", "#pragma omp simd\n" }, { 50, 30, 20 })
    local outer = draw:pick({ "", "#pragma GCC unroll 2\n", "#pragma GCC unroll 4\n" }, { 60, 20, 20 })
    return draw:pick({ "float", "double" }, { 75, 25 }) .. " p[" .. count .. "]={};\n" .. outer .. "for(int i=0;i<" .. at.limit
        .. ";i+=" .. count .. ")\n" .. unroll .. "for(int u=0;u<" .. count .. ";u++)" .. put("p[u]")
        .. "float s=" .. at.start .. ";\nfor(int u=0;u<" .. count .. ";u++)s+=p[u];\n"
end

-- Equal shares, each with a sum of its own; threads may take them.
function styles.shares(draw, at)
    local count = draw:pick({ 2, 4, 8, 16, 32 }, { 1, 1, 1, 1, 1 })
    local vector = emit.flag(draw, 0.3)
    local inner
    if vector then
        local wide, unroll = draw:pick({ 16, 32 }, { 60, 40 }), draw:pick({ "", "#pragma GCC unroll 2\n", "#pragma GCC unroll 4\n" },
            { 60, 20, 20 })
        local second = wide == 32 and "V t=*(V*)(a+i+16)-*(V*)(b+i+16);\nT+=t*t;\n" or ""
        inner = "V S={}" .. (wide == 32 and ",T={}" or "") .. ";\n" .. unroll .. "for(int i=q*n;i<q*n+n;i+=" .. wide
            .. "){\nV v=*(V*)(a+i)-*(V*)(b+i);\nS+=v*v;\n" .. second .. "}\n" .. (wide == 32 and "S+=T;\n" or "")
            .. "float t=0;\nfor(int u=0;u<16;u++)t+=S[u];\n"
    else
        local head = draw:pick({ "", "#pragma omp simd reduction(+:t)\n", "#pragma omp simd reduction(+:t) simdlen(16)\n",
            "#pragma GCC unroll 8\n" }, { 50, 20, 15, 15 })
        inner = "float t=0;\n" .. head .. "for(int i=q*n;i<q*n+n;i++)" .. difference(draw, "i")("t")
    end
    local threads = at.race and "#pragma omp parallel for\n" or draw:pick({ "", "#pragma omp parallel for reduction(+:s)\n",
        "#pragma omp parallel for reduction(+:s) schedule(static,4)\n",
        "#pragma omp parallel for reduction(+:s) schedule(dynamic,1)\n", "#pragma omp parallel for reduction(+:s) schedule(guided)\n" },
            { 56, 20, 8, 8, 8 })
    return "long n=N/" .. count .. ";\nfloat s=" .. at.start .. ";\n" .. threads .. "for(int q=0;q<"
        .. (at.limit == "N" and count or count - 1) .. ";q++){\n" .. inner .. "s+=t;\n}\n"
end

function styles.vector(draw, at)
    local count, declared, adds, folds = draw:pick({ 1, 2, 4 }, { 40, 35, 25 }), {}, {}, {}
    for u = 0, count - 1 do
        local name, at_index = "S" .. (count == 1 and "" or u), emit.plus("i", 16 * u)
        declared[#declared + 1] = name .. "={}"
        adds[#adds + 1] = (u == 0 and "V t=" or "t=") .. "*(V*)(a+" .. at_index .. ")-*(V*)(b+" .. at_index .. ");" .. name .. "+=t*t;\n"
        if u > 0 then folds[#folds + 1] = "S0+=" .. name .. ";" end
    end
    return "V " .. table.concat(declared, ",") .. ";\n" .. draw:pick({ "", "#pragma GCC unroll 2\n", "#pragma GCC unroll 4\n" }, { 60,
        20, 20 }) .. "for(int i=0;i<" .. at.limit .. ";i+=" .. 16 * count .. "){\n" .. table.concat(adds) .. "}\n"
        .. table.concat(folds) .. (count > 1 and "\n" or "") .. "float s=" .. at.start .. ";\nfor(int u=0;u<16;u++)s+=S"
            .. (count == 1 and "" or "0") .. "[u];\n"
end

function losses.mse(draw)
    local mistake = emit.mistake(draw, { "bound", "start", "mean", "race" })
    local at = { limit = mistake == "bound" and "N-256" or "N", start = mistake == "start" and "N" or "0", race = mistake == "race" }
    local style = draw:pick({ "flat", "several", "shares", "vector" }, { 35, at.race and 0 or 20, 25, at.race and 0 or 20 })
    local finish = mistake == "mean" and "*o=s;\n" or draw:pick({ "*o=s/N;\n", "o[0]=s/N;\n" }, { 60, 40 })
    return emit.program(draw, { "a", "b" }, { "N" }, styles[style](draw, at) .. finish)
end

return losses
