-- Programs for one head of attention: o = softmax(a b^T / sqrt(D)) c, with a, b, c of (S,D). For query i, p holds the weights.
local emit = require "templates.emit"
local attention = {}

-- t = the product of query and key j
local function dot(draw)
    if emit.flag(draw, 0.2) then
        return "V T={};\nfor(int d=0;d<D;d+=16)T+=*(V*)(x+d)**(V*)(b+j*D+d);\nfloat t=0;\nfor(int q=0;q<16;q++)t+=T[q];\n"
    end
    return emit.text(draw, "float t=0;\n$head\nfor(int d=0;d<D;d++)t+=x[d]*b[j*D+d];\n", { head = emit.summing(draw, "t") })
end

-- The scores of one query and their maximum m, in one loop or in two.
local function scores(draw, put)
    local head = draw:pick({ "", "#pragma omp simd reduction(max:m)", "#pragma GCC unroll 8" }, { 50, 35, 15 })
    return emit.text(draw, draw:pick({
        "float m=-1e30f;\nfor(int j=0;j<S;j++){\n$dot\n$put\nm=m>p[j]?m:p[j];\n}\n",
        "for(int j=0;j<S;j++){\n$dot\n$put\n}\nfloat m=p[0];\n$head\nfor(int j=0;j<S;j++)m=m>p[j]?m:p[j];\n",
    }, { 50, 50 }), { dot = dot(draw), put = put, head = head })
end

local function weights(draw, mistake)
    return emit.text(draw, "float s=$start;\n$head\nfor(int j=0;j<S;j++){\np[j]=$exp($shifted);\ns+=p[j];\n}\n", {
        start = mistake == "start" and "1" or "0", head = emit.summing(draw, "s"), exp = emit.exponential(draw),
        shifted = mistake == "shift" and "p[j]+m" or "p[j]-m",
    })
end

local mixes = {
    memory = [[
$pragma
for(int d=0;d<D;d++)y[d]=0;
for(int j=0;j<S;j++)
$pragma
for(int d=0;d<D;d++)y[d]+=p[j]*c[j*D+d];
$pragma
for(int d=0;d<D;d++)y[d]/=s;
]],
    column = [[
for(int d=0;d<D;d++){
float t=0;
$sum
for(int j=0;j<S;j++)t+=p[j]*c[j*D+d];
y[d]=t/s;
}
]],
    vector = [[
for(int d=0;d<D;d+=16){
V t={};
$unroll
for(int j=0;j<S;j++)t+=p[j]**(V*)(c+j*D+d);
*(V*)(y+d)=t/s;
}
]],
}

function attention.head(draw)
    local mistake = emit.mistake(draw, { "bound", "start", "shift" })
    local put = draw:pick({ "p[j]=t*r;", "t*=r;\np[j]=t;", "p[j]=t/__builtin_sqrtf(D);" }, { 45, 30, 25 })
    local mix = mixes[draw:pick({ "memory", "column", "vector" }, { 40, 35, 25 })]
    return emit.program(draw, { "a", "b", "c" }, { "S", "D" }, emit.text(draw, [[
$root
$parallel
for(int i=0;i<$rows;i++){
const float*x=a+i*D;
float*y=o+i*D,p[S];
$scores
$weights
$mix
}
]], {
        root = put:find("r;", 1, true) and "float r=1/__builtin_sqrtf(D);" or "", rows = mistake == "bound" and "S-1" or "S",
        scores = scores(draw, put), weights = weights(draw, mistake),
        mix = emit.text(draw, mix, { sum = mix == mixes.column and emit.summing(draw, "t") or "" }),
    }))
end

return attention
