-- Programs for one head of attention: o = softmax(a b^T / sqrt(D)) c, with a, b, c of (S,D).
local emit = require "templates.emit"
local attention = {}

local function dot(draw)
    local style = draw:pick({ "one", "simd", "vector", "unroll" }, { 40, 25, 20, 15 })
    if style == "vector" then
        return "V T={};\nfor(int d=0;d<D;d+=16)T+=*(V*)(x+d)**(V*)(b+j*D+d);\nfloat t=0;\nfor(int q=0;q<16;q++)t+=T[q];\n"
    end
    local head = { one = "", unroll = "#pragma GCC unroll 8\n", simd = "#pragma omp simd reduction(+:t)"
        .. (style == "simd" and draw:pick({ "\n", " simdlen(16)\n" }, { 60, 40 }) or "") }
    return "float t=0;\n" .. head[style] .. "for(int d=0;d<D;d++)t+=x[d]*b[j*D+d];\n"
end

-- Scores p of one query and their maximum m.
local function scores(draw)
    local scale = draw:pick({ "p[j]=t*r;\n", "t*=r;\np[j]=t;\n", "p[j]=t/__builtin_sqrtf(D);\n" }, { 45, 30, 25 })
    if emit.flag(draw, 0.5) then
        return "float m=-1e30f;\nfor(int j=0;j<S;j++){\n" .. dot(draw) .. scale .. "m=m>p[j]?m:p[j];\n}\n"
    end
    local head = draw:pick({ "", "#pragma omp simd reduction(max:m)\n", "#pragma GCC unroll 8\n" }, { 50, 35, 15 })
    return "for(int j=0;j<S;j++){\n" .. dot(draw) .. scale .. "}\nfloat m=p[0];\n" .. head .. "for(int j=0;j<S;j++)m=m>p[j]?m:p[j];\n"
end

local function weights(draw, mistake)
    local exp, argument = emit.exponential(draw), mistake == "shift" and "p[j]+m" or "p[j]-m"
    local head = draw:pick({ "", "#pragma omp simd reduction(+:s)\n", "#pragma omp simd reduction(+:s) simdlen(16)\n",
        "#pragma GCC unroll 4\n" }, { 50, 25, 15, 10 })
    return "float s=" .. (mistake == "start" and "1" or "0") .. ";\n" .. head .. "for(int j=0;j<S;j++){\np[j]=" .. exp .. "("
        .. argument .. ");\ns+=p[j];\n}\n"
end

local mixes = {}

function mixes.memory(draw)
    return emit.pragma(draw) .. "for(int d=0;d<D;d++)y[d]=0;\nfor(int j=0;j<S;j++)\n" .. emit.pragma(draw)
        .. "for(int d=0;d<D;d++)y[d]+=p[j]*c[j*D+d];\n" .. emit.pragma(draw) .. "for(int d=0;d<D;d++)y[d]/=s;\n"
end

function mixes.column(draw)
    return "for(int d=0;d<D;d++){\nfloat t=0;\n" .. draw:pick({ "", "#pragma omp simd reduction(+:t)\n", "#pragma GCC unroll 8\n" },
        { 60, 20, 20 }) .. "for(int j=0;j<S;j++)t+=p[j]*c[j*D+d];\ny[d]=t/s;\n}\n"
end

function mixes.vector(draw)
    return "for(int d=0;d<D;d+=16){\nV t={};\n" .. draw:pick({ "", "#pragma GCC unroll 4\n" }, { 60, 40 })
        .. "for(int j=0;j<S;j++)t+=p[j]**(V*)(c+j*D+d);\n*(V*)(y+d)=t/s;\n}\n"
end

function attention.head(draw)
    local mistake = emit.mistake(draw, { "bound", "start", "shift" })
    local text = scores(draw) .. weights(draw, mistake) .. mixes[draw:pick({ "memory", "column", "vector" }, { 40, 35, 25 })](draw)
    local root = text:find("*r;", 1, true) and true or text:find("t*=r;", 1, true)
    return emit.program(draw, { "a", "b", "c" }, { "S", "D" }, (root and "float r=1/__builtin_sqrtf(D);\n" or "") .. emit.parallel(draw)
        .. "for(int i=0;i<" .. (mistake == "bound" and "S-1" or "S")
        .. ";i++){\nconst float*x=a+i*D;\nfloat*y=o+i*D,p[S];\n" .. text .. "}\n")
end

return attention
