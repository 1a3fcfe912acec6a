-- Programs for convolutions with a 3x3 filter and for pooling over 2x2 windows. A row of a padded plane has P = W+2 values.
local emit = require "templates.emit"
local stencil = {}

-- One plane: $x its values, $f nine weights, $y the results.
local planes = {}

function planes.loops(draw, at)
    at.full = draw:pick({ "", "#pragma GCC unroll 3" }, { 60, 40 })
    return emit.text(draw, [[
$threads
for(int i=0;i<$rows;i++)
for(int j=0;j<W;j++){
float s=$start;
$full
for(int u=0;u<3;u++)
$full
for(int v=0;v<3;v++)s+=$x[(i+u)*P+j+v]*$f[u*3+v];
$y[i*W+j]=s;
}
]], at)
end

-- Nine terms an element, rows by pointers or by index.
function planes.taps(draw, at)
    local pointers = emit.flag(draw, 0.6)
    local function tap(n)
        local u, v = n // 3, n % 3
        local row = pointers and ({ "p[", "q[", "r[" })[u + 1] or "$x[" .. (u == 0 and "i" or "(i+" .. u .. ")") .. "*P+"
        return row .. emit.plus("j", v) .. "]*$f[" .. n .. "]"
    end
    at.sum = emit.text(draw, emit.repeated(at.missing and 8 or 9, tap, "+"), at)
    at.open = pointers and emit.text(draw, "const float*p=$x+i*P,*q=p+P,*r=q+P;\n", at) or ""
    return emit.text(draw, "$threads\nfor(int i=0;i<$rows;i++){\n$open\n$pragma\nfor(int j=0;j<W;j++)$y[i*W+j]=$sum;\n}\n", at)
end

-- One weight after the other over a whole row of results.
function planes.rows(draw, at)
    return emit.text(draw, [[
$threads
for(int i=0;i<$rows;i++){
$pragma
for(int j=0;j<W;j++)$y[i*W+j]=$start;
for(int u=0;u<3;u++)
for(int v=0;v<3;v++){
float t=$f[u*3+v];
$pragma
for(int j=0;j<W;j++)$y[i*W+j]+=t*$x[(i+u)*P+j+v];
}
}
]], at)
end

-- A strip of one row: `width` sums in a local array.
function planes.strip(draw, at)
    at.width = draw:pick({ 16, 32, 64 }, { 40, 35, 25 })
    return emit.text(draw, [[
$threads
for(int i=0;i<$rows;i++)
for(int j=0;j<W;j+=$width){
float s[$width]={$first};
for(int u=0;u<3;u++)
for(int v=0;v<3;v++)
$pragma
for(int t=0;t<$width;t++)s[t]+=$x[(i+u)*P+j+v+t]*$f[u*3+v];
$pragma
for(int t=0;t<$width;t++)$y[i*W+j+t]=s[t];
}
]], at)
end

-- A tile of high x (16 * wide) sums in registers.
function planes.vector(draw, at)
    at.high, at.wide = draw:pick({ 1, 2, 4 }, { 50, 30, 20 }), draw:pick({ 1, 2, 4 }, { 45, 35, 20 })
    at.width, at.full = 16 * at.wide, draw:pick({ "", "#pragma GCC unroll 4" }, { 50, 50 })
    at.lanes = emit.text(draw, "$full\nfor(int r=0;r<$high;r++)\n$full\nfor(int t=0;t<$wide;t++)", at)
    return emit.text(draw, [[
$threads
for(int i=0;i<$rows;i+=$high)
for(int j=0;j<W;j+=$width){
V s[$high][$wide]={$first};
$full
for(int u=0;u<3;u++)
$full
for(int v=0;v<3;v++)
$lanes
s[r][t]+=*(V*)($x+(i+r+u)*P+j+v+16*t)*$f[u*3+v];
$lanes
*(V*)($y+(i+r)*W+j+16*t)=s[r][t];
}
]], at)
end

local function plane(draw, at, mistake)
    at.rows, at.start, at.first = mistake == "bound" and "H-4" or "H", mistake == "start" and "1" or "0", mistake == "start" and "1" or ""
    at.missing = mistake == "tap"
    local taps = mistake ~= "start" and 30 or 0
    local style = at.missing and "taps" or draw:pick({ "loops", "taps", "rows", "strip", "vector" }, { 25, taps, 15, 12, 18 })
    return planes[style](draw, at)
end

function stencil.conv3x3(draw)
    local mistake = emit.mistake(draw, { "bound", "start", "tap" })
    local text = plane(draw, { x = "a", f = "w", y = "o", threads = emit.parallel(draw) }, mistake)
    return emit.program(draw, { "a", "w" }, { "H", "W" }, "long P=W+2;\n" .. text)
end

function stencil.depthwise(draw)
    local mistake = emit.mistake(draw, { "bound", "start", "tap" })
    local outside = emit.flag(draw, 0.6)
    local at = { x = "x", f = "f", y = "y", threads = outside and "" or emit.parallel(draw) }
    return emit.program(draw, { "a", "w" }, { "C", "H", "W" }, emit.text(draw, [[
long P=W+2;
$threads
for(int c=0;c<C;c++){
const float*x=a+c*(H+2)*P,*f=w+c*9;
float*y=o+c*H*W;
$plane
}
]], { threads = outside and emit.parallel(draw) or "", plane = plane(draw, at, mistake) }))
end

-- Several channels: a(K,H+2,W+2), w(M,K,3,3), o(M,H,W).
local channels = {}

function channels.loops(draw, at)
    at.full = draw:pick({ "", "#pragma GCC unroll 3" }, { 60, 40 })
    return emit.text(draw, [[
$parallel
for(int m=0;m<M;m++)
for(int i=0;i<$rows;i++)
for(int j=0;j<W;j++){
float s=$start;
for(int k=0;k<$depth;k++)
$full
for(int u=0;u<3;u++)
$full
for(int v=0;v<3;v++)s+=a[(k*(H+2)+i+u)*P+j+v]*w[((m*K+k)*3+u)*3+v];
o[(m*H+i)*W+j]=s;
}
]], at)
end

function channels.rows(draw, at)
    return emit.text(draw, [[
$parallel
for(int m=0;m<M;m++)
for(int i=0;i<$rows;i++){
float*y=o+(m*H+i)*W;
$pragma
for(int j=0;j<W;j++)y[j]=$start;
for(int k=0;k<$depth;k++)
for(int u=0;u<3;u++)
for(int v=0;v<3;v++){
float t=w[((m*K+k)*3+u)*3+v];
const float*x=a+(k*(H+2)+i+u)*P+v;
$pragma
for(int j=0;j<W;j++)y[j]+=t*x[j];
}
}
]], at)
end

function channels.strip(draw, at)
    at.width = draw:pick({ 16, 32, 64 }, { 40, 35, 25 })
    return emit.text(draw, [[
$parallel
for(int m=0;m<M;m++)
for(int i=0;i<$rows;i++)
for(int j=0;j<W;j+=$width){
float s[$width]={$first};
for(int k=0;k<$depth;k++)
for(int u=0;u<3;u++)
for(int v=0;v<3;v++)
$pragma
for(int t=0;t<$width;t++)s[t]+=a[(k*(H+2)+i+u)*P+j+v+t]*w[((m*K+k)*3+u)*3+v];
$pragma
for(int t=0;t<$width;t++)o[(m*H+i)*W+j+t]=s[t];
}
]], at)
end

-- Some output channels at a time share each load of the input.
function channels.tile(draw, at)
    at.high, at.wide = draw:pick({ 1, 2, 4 }, { 35, 35, 30 }), draw:pick({ 1, 2, 4 }, { 45, 35, 20 })
    at.width, at.full = 16 * at.wide, draw:pick({ "", "#pragma GCC unroll 4" }, { 50, 50 })
    at.lanes = emit.text(draw, "$full\nfor(int n=0;n<$high;n++)\n$full\nfor(int t=0;t<$wide;t++)", at)
    return emit.text(draw, [[
$parallel
for(int m=0;m<M;m+=$high)
for(int i=0;i<$rows;i++)
for(int j=0;j<W;j+=$width){
V s[$high][$wide]={$first};
for(int k=0;k<$depth;k++)
for(int u=0;u<3;u++)
for(int v=0;v<3;v++)
$lanes
s[n][t]+=*(V*)(a+(k*(H+2)+i+u)*P+j+v+16*t)*w[(((m+n)*K+k)*3+u)*3+v];
$lanes
*(V*)(o+((m+n)*H+i)*W+j+16*t)=s[n][t];
}
]], at)
end

function stencil.conv3x3_channels(draw)
    local mistake = emit.mistake(draw, { "bound", "start", "depth" })
    local style = draw:pick({ "loops", "rows", "strip", "tile" }, { 30, 25, 20, 25 })
    return emit.program(draw, { "a", "w" }, { "K", "H", "W", "M" }, "long P=W+2;\n" .. channels[style](draw, {
        rows = mistake == "bound" and "H-1" or "H", depth = mistake == "depth" and "K-1" or "K", start = mistake == "start" and "1" or "0",
        first = mistake == "start" and "1" or "",
    }))
end

-- Pooling: a(2H,2W), o(H,W). $p $q are neighbours in the upper row of a window, $r $z in the lower.
local average = {
    start = "0", wrong = "1", updates = { "s+=$t;" }, results = { "s/4", "s*.25f" },
    joins = {
        "$o=($p+$q+$r+$z)*.25f;", "$o=($p+$q+$r+$z)/4;", "$o=(($p+$q)+($r+$z))*.25f;", "{\nfloat s=$p+$q,t=$r+$z;\n$o=(s+t)*.25f;\n}",
    },
    combine = "V p=*(V*)(x+2*j)+*(V*)(y+2*j),q=*(V*)(x+2*j+16)+*(V*)(y+2*j+16);", puts = { "(s+t)*.25f", "(s+t)/4" },
}
local maximum = {
    start = "-1e38f", wrong = "0", updates = { "s=s>$t?s:$t;", "if($t>s)s=$t;", "s=__builtin_fmaxf(s,$t);" }, results = { "s" },
    joins = {
        "$o=__builtin_fmaxf(__builtin_fmaxf($p,$q),__builtin_fmaxf($r,$z));", "{\nfloat s=$p>$q?$p:$q,t=$r>$z?$r:$z;\n$o=s>t?s:t;\n}",
        "{\nfloat s=__builtin_fmaxf($p,$r),t=__builtin_fmaxf($q,$z);\n$o=__builtin_fmaxf(s,t);\n}",
    },
    combine = "V p=*(V*)(x+2*j),q=*(V*)(x+2*j+16),r=*(V*)(y+2*j),z=*(V*)(y+2*j+16);\np=p>r?p:r;q=q>z?q:z;", puts = { "s>t?s:t" },
}

local windows = {}

function windows.loops(draw, kind, at)
    local named = emit.flag(draw, 0.5)
    local update = emit.text(draw, draw:pick(kind.updates, { 60, 25, 15 }), { t = named and "t" or "a[(2*i+u)*2*W+2*j+v]" })
    at.update = named and "{\nfloat t=a[(2*i+u)*2*W+2*j+v];\n" .. update .. "\n}" or update
    at.full, at.result = draw:pick({ "", "#pragma GCC unroll 2" }, { 60, 40 }), draw:pick(kind.results, { 50, 50 })
    local i, j, pragma = "for(int i=0;i<$rows;i++)", "for(int j=0;j<W;j++)", "\n$pragma\n"
    return emit.text(draw, "$parallel\n" .. draw:pick({ i .. pragma .. j, j .. pragma .. i }, { 75, 25 }) .. "{\n" .. [[
float s=$start;
$full
for(int u=0;u<2;u++)
$full
for(int v=0;v<2;v++)$update
o[i*W+j]=$result;
}
]], at)
end

function windows.pair(draw, kind, at)
    local form = draw:pick({ "*", "*__restrict ", "" }, { 50, 25, 25 })
    local lower = at.shifted and "W" or "2*W"
    local x, y = "x[2*j", "y[2*j"
    if form == "" then x, y = "a[i*4*W+2*j", "a[i*4*W+" .. lower .. "+2*j" end
    at.open = form ~= "" and "const float" .. form .. "x=a+i*4*W," .. form .. "y=x+" .. lower .. ";\n" or ""
    local names = { o = "o[i*W+j]", p = x .. "]", q = x .. "+1]", r = y .. "]", z = y .. "+1]" }
    at.join = emit.text(draw, draw:pick(kind.joins, { 35, 25, 20, 20 }), names)
    return emit.text(draw, "$parallel\nfor(int i=0;i<$rows;i++){\n$open\n$pragma\nfor(int j=0;j<W;j++)$join\n}\n", at)
end

-- Sixteen results at a time; the even and the odd columns are taken apart by shuffles.
function windows.shuffle(draw, kind, at)
    at.combine, at.put = kind.combine, draw:pick(kind.puts, { 60, 40 })
    at.even = emit.repeated(16, function(u) return tostring(2 * u) end, ",")
    at.odd = emit.repeated(16, function(u) return tostring(2 * u + 1) end, ",")
    at.lower = at.shifted and "W" or "2*W"
    return emit.text(draw, [[
$parallel
for(int i=0;i<$rows;i++){
const float*x=a+i*4*W,*y=x+$lower;
$unroll
for(int j=0;j<W;j+=16){
$combine
V s=__builtin_shufflevector(p,q,$even);
V t=__builtin_shufflevector(p,q,$odd);
*(V*)(o+i*W+j)=$put;
}
}
]], at)
end

local function pool(kind)
    return function(draw)
        local mistake = emit.mistake(draw, { "bound", "start", "row" })
        local only_loops, no_loops = mistake == "start", mistake == "row"
        local style = draw:pick({ "loops", "pair", "shuffle" }, { no_loops and 0 or 45, only_loops and 0 or 40, only_loops and 0 or 15 })
        return emit.program(draw, { "a" }, { "H", "W" }, windows[style](draw, kind, {
            rows = mistake == "bound" and "H-1" or "H", start = mistake == "start" and kind.wrong or kind.start, shifted = mistake == "row",
        }))
    end
end

stencil.average_pool = pool(average)
stencil.max_pool = pool(maximum)

return stencil
