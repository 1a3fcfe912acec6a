-- Programs for convolutions with a 3x3 filter and for pooling over 2x2 windows.
local emit = require "templates.emit"
local stencil = {}

-- One plane: x (rows of W+2), f (nine weights), y (rows of W).
local planes = {}

function planes.loops(draw, at)
    local unroll = draw:pick({ "", "#pragma GCC unroll 3\n" }, { 60, 40 })
    return at.head .. "for(int i=0;i<" .. at.rows .. ";i++)\nfor(int j=0;j<W;j++){\nfloat s=" .. at.start .. ";\n" .. unroll
        .. "for(int u=0;u<3;u++)\n" .. unroll
        .. emit.fill("for(int v=0;v<3;v++)s+=$x[(i+u)*P+j+v]*$f[u*3+v];\n$y[i*W+j]=s;\n}\n", at)
end

-- Nine terms an element, rows by pointers or by index.
function planes.taps(draw, at)
    local pointers, terms = emit.flag(draw, 0.6), {}
    local hoist = emit.flag(draw, 0.3)
    for u = 0, 2 do
        for v = 0, 2 do
            local row = pointers and ({ "p[", "q[", "r[" })[u + 1] or at.x .. "[" .. (u == 0 and "i" or "(i+" .. u .. ")") .. "*P+"
            terms[#terms + 1] = row .. emit.plus("j", v) .. "]*" .. (hoist and "w" .. 3 * u + v or at.f .. "[" .. 3 * u + v .. "]")
        end
    end
    if at.missing then table.remove(terms) end
    local open, weights = pointers and emit.fill("const float*p=$x+i*P,*q=p+P,*r=q+P;\n", at) or "", {}
    for i = 0, 8 do weights[#weights + 1] = "w" .. i .. "=" .. at.f .. "[" .. i .. "]" end
    return (hoist and "float " .. table.concat(weights, ",") .. ";\n" or "") .. at.head .. "for(int i=0;i<" .. at.rows .. ";i++){\n"
        .. open .. emit.pragma(draw)
        .. "for(int j=0;j<W;j++)" .. at.y .. "[i*W+j]=" .. table.concat(terms, "+") .. ";\n}\n"
end

-- One weight after the other over a whole row of results.
function planes.rows(draw, at)
    return at.head .. "for(int i=0;i<" .. at.rows .. ";i++){\n" .. emit.pragma(draw)
        .. emit.fill("for(int j=0;j<W;j++)$y[i*W+j]=$start;\nfor(int u=0;u<3;u++)\nfor(int v=0;v<3;v++){\nfloat t=$f[u*3+v];\n", at)
        .. emit.pragma(draw) .. emit.fill("for(int j=0;j<W;j++)$y[i*W+j]+=t*$x[(i+u)*P+j+v];\n}\n}\n", at)
end

-- A tile of rows x (16 * wide) sums in registers.
function planes.vector(draw, at)
    local high, wide = draw:pick({ 1, 2, 4 }, { 50, 30, 20 }), draw:pick({ 1, 2, 4 }, { 45, 35, 20 })
    local unroll = draw:pick({ "", "#pragma GCC unroll 4\n" }, { 50, 50 })
    local lanes = unroll .. "for(int r=0;r<" .. high .. ";r++)\n" .. unroll .. "for(int t=0;t<" .. wide .. ";t++)"
    return at.head .. "for(int i=0;i<" .. at.rows .. ";i+=" .. high .. ")\nfor(int j=0;j<W;j+=" .. 16 * wide .. "){\nV s[" .. high
        .. "][" .. wide .. "]={" .. (at.start == "0" and "" or "1") .. "};\n" .. unroll
        .. "for(int u=0;u<3;u++)\n" .. unroll .. "for(int v=0;v<3;v++)\n" .. lanes
        .. emit.fill("s[r][t]+=*(V*)($x+(i+r+u)*P+j+v+16*t)*$f[u*3+v];\n", at) .. lanes
            .. emit.fill("*(V*)($y+(i+r)*W+j+16*t)=s[r][t];\n}\n", at)
end

-- A strip of one row: width sums in a local array.
function planes.strip(draw, at)
    local width = draw:pick({ 16, 32, 64 }, { 40, 35, 25 })
    return at.head .. "for(int i=0;i<" .. at.rows .. ";i++)\nfor(int j=0;j<W;j+=" .. width .. "){\nfloat s[" .. width .. "]={"
        .. (at.start == "0" and "" or "1") .. "};\nfor(int u=0;u<3;u++)\nfor(int v=0;v<3;v++)\n"
        .. emit.pragma(draw) .. emit.fill("for(int t=0;t<$w;t++)s[t]+=$x[(i+u)*P+j+v+t]*$f[u*3+v];\n", { w = width, x = at.x, f = at.f })
        .. emit.pragma(draw) .. emit.fill("for(int t=0;t<$w;t++)$y[i*W+j+t]=s[t];\n}\n", { w = width, y = at.y })
end

local function plane(draw, at, mistake)
    at.rows = mistake == "bound" and "H-4" or "H"
    at.start = mistake == "start" and "1" or "0"
    at.missing = mistake == "tap"
    local style = at.missing and "taps" or draw:pick({ "loops", "taps", "rows", "strip", "vector" }, { 25, 30, 15, 12, 18 })
    if style == "taps" and mistake == "start" then style = "loops" end
    return planes[style](draw, at)
end

function stencil.conv3x3(draw)
    local mistake = emit.mistake(draw, { "bound", "start", "tap" })
    local text = plane(draw, { x = "a", f = "w", y = "o", head = emit.parallel(draw) }, mistake)
    if text:find("float w0", 1, true) then text = text:gsub("w(%d)=w%[", "w%1=w["):gsub("float w", "float w") end
    return emit.program(draw, { "a", "w" }, { "H", "W" }, "long P=W+2;\n" .. text)
end

function stencil.depthwise(draw)
    local mistake = emit.mistake(draw, { "bound", "start", "tap" })
    local outside = emit.flag(draw, 0.6)
    local text = plane(draw, { x = "x", f = "f", y = "y", head = outside and "" or emit.parallel(draw) }, mistake)
    return emit.program(draw, { "a", "w" }, { "C", "H", "W" }, "long P=W+2;\n" .. (outside and emit.parallel(draw) or "")
        .. "for(int c=0;c<C;c++){\nconst float*x=a+c*(H+2)*P,*f=w+c*9;\nfloat*y=o+c*H*W;\n" .. text .. "}\n")
end

-- Several channels: a(K,H+2,W+2), w(M,K,3,3), o(M,H,W).
local channels = {}

function channels.loops(draw, at)
    local unroll = draw:pick({ "", "#pragma GCC unroll 3\n" }, { 60, 40 })
    local i, j = "for(int i=0;i<" .. at.rows .. ";i++)\n", "for(int j=0;j<W;j++)"
    return at.head .. "for(int m=0;m<M;m++)\n" .. i .. j .. "{\nfloat s=" .. at.start .. ";\nfor(int k=0;k<" .. at.depth .. ";k++)\n"
        .. unroll .. "for(int u=0;u<3;u++)\n" .. unroll
        .. "for(int v=0;v<3;v++)s+=a[(k*(H+2)+i+u)*P+j+v]*w[((m*K+k)*3+u)*3+v];\no[(m*H+i)*W+j]=s;\n}\n"
end

function channels.rows(draw, at)
    return at.head .. "for(int m=0;m<M;m++)\nfor(int i=0;i<" .. at.rows .. ";i++){\nfloat*y=o+(m*H+i)*W;\n" .. emit.pragma(draw)
        .. "for(int j=0;j<W;j++)y[j]=" .. at.start
        .. ";\nfor(int k=0;k<" .. at.depth
            .. ";k++)\nfor(int u=0;u<3;u++)\nfor(int v=0;v<3;v++){\nfloat t=w[((m*K+k)*3+u)*3+v];\nconst float*x=a+(k*(H+2)+i+u)*P+v;\n"
            .. emit.pragma(draw)
        .. "for(int j=0;j<W;j++)y[j]+=t*x[j];\n}\n}\n"
end

function channels.strip(draw, at)
    local width = draw:pick({ 16, 32, 64 }, { 40, 35, 25 })
    return at.head .. "for(int m=0;m<M;m++)\nfor(int i=0;i<" .. at.rows .. ";i++)\nfor(int j=0;j<W;j+=" .. width .. "){\nfloat s["
        .. width .. "]={" .. (at.start == "0" and "" or "1")
        .. "};\nfor(int k=0;k<" .. at.depth .. ";k++)\nfor(int u=0;u<3;u++)\nfor(int v=0;v<3;v++)\n" .. emit.pragma(draw)
            .. "for(int t=0;t<" .. width
        .. ";t++)s[t]+=a[(k*(H+2)+i+u)*P+j+v+t]*w[((m*K+k)*3+u)*3+v];\n" .. emit.pragma(draw) .. "for(int t=0;t<" .. width
            .. ";t++)o[(m*H+i)*W+j+t]=s[t];\n}\n"
end

-- Some output channels at a time share each load of the input.
function channels.tile(draw, at)
    local high, wide = draw:pick({ 1, 2, 4 }, { 35, 35, 30 }), draw:pick({ 1, 2, 4 }, { 45, 35, 20 })
    local unroll = draw:pick({ "", "#pragma GCC unroll 4\n" }, { 50, 50 })
    local lanes = unroll .. "for(int n=0;n<" .. high .. ";n++)\n" .. unroll .. "for(int t=0;t<" .. wide .. ";t++)"
    return at.head .. "for(int m=0;m<M;m+=" .. high .. ")\nfor(int i=0;i<" .. at.rows .. ";i++)\nfor(int j=0;j<W;j+=" .. 16 * wide
        .. "){\nV s[" .. high .. "][" .. wide .. "]={"
        .. (at.start == "0" and "" or "1") .. "};\nfor(int k=0;k<" .. at.depth .. ";k++)\nfor(int u=0;u<3;u++)\nfor(int v=0;v<3;v++)\n"
            .. lanes
        .. "s[n][t]+=*(V*)(a+(k*(H+2)+i+u)*P+j+v+16*t)*w[(((m+n)*K+k)*3+u)*3+v];\n" .. lanes
            .. "*(V*)(o+((m+n)*H+i)*W+j+16*t)=s[n][t];\n}\n"
end

function stencil.conv3x3_channels(draw)
    local mistake = emit.mistake(draw, { "bound", "start", "depth" })
    local at = { head = emit.parallel(draw), rows = mistake == "bound" and "H-1" or "H", start = mistake == "start" and "1" or "0",
        depth = mistake == "depth" and "K-1" or "K" }
    local style = draw:pick({ "loops", "rows", "strip", "tile" }, { 30, 25, 20, 25 })
    return emit.program(draw, { "a", "w" }, { "K", "H", "W", "M" }, "long P=W+2;\n" .. channels[style](draw, at))
end

-- Pooling: a(2H,2W), o(H,W).
local kinds = {
    average = { start = "0", wrong = "1", update = { "s+=$t;" }, finish = { "s/4", "s*.25f" },
        join = { "($p+$q+$r+$z)*.25f", "($p+$q+$r+$z)/4", "(($p+$q)+($r+$z))*.25f", "($p+$r)*.25f+($q+$z)*.25f" }, pair = "$p+$q",
            last = ")*.25f" },
    maximum = { start = "-1e38f", wrong = "0", update = { "s=s>$t?s:$t;", "if($t>s)s=$t;", "s=__builtin_fmaxf(s,$t);" }, finish = { "s" },
        join = { "__builtin_fmaxf(__builtin_fmaxf($p,$q),__builtin_fmaxf($r,$z))" } },
}
local even, odd = "0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30", "1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31"

local windows = {}

function windows.loops(draw, kind, at)
    local order, unroll = draw:pick({ "ij", "ji" }, { 75, 25 }), draw:pick({ "", "#pragma GCC unroll 2\n" }, { 60, 40 })
    local i, j = "for(int i=0;i<" .. at.rows .. ";i++)", "for(int j=0;j<W;j++)"
    local update = emit.fill(draw:pick(kind.update, { 60, 25, 15 }), { t = at.index and "a[(2*i+u)*2*W+2*j+v]" or "t" })
    return emit.parallel(draw) .. (order == "ij" and i .. "\n" or j .. "\n") .. emit.pragma(draw) .. (order == "ij" and j or i)
        .. "{\nfloat s=" .. at.start .. ";\n" .. unroll .. "for(int u=0;u<2;u++)\n"
        .. unroll .. "for(int v=0;v<2;v++)" .. (at.index and update .. "\n" or "{\nfloat t=a[(2*i+u)*2*W+2*j+v];\n" .. update .. "\n}\n")
        .. "o[i*W+j]=" .. draw:pick(kind.finish, { 50, 50 }) .. ";\n}\n"
end

function windows.pair(draw, kind, at)
    local pointers = draw:pick({ "x", "restrict", "index" }, { 50, 25, 25 })
    local star = pointers == "restrict" and "*__restrict " or "*"
    local open = pointers == "index" and "" or "const float" .. star .. "x=a+" .. (at.shift and "(2*i+1)" or "i*2") .. "*2*W," .. star
        .. "y=x+2*W;\n"
    local x, y = "x[2*j", "y[2*j"
    if pointers == "index" then x, y = "a[i*4*W+2*j", (at.shift and "a[i*4*W+W+2*j" or "a[i*4*W+2*W+2*j") end
    local join = emit.fill(draw:pick(kind.join, { 40, 20, 20, 20 }), { p = x .. "]", q = x .. "+1]", r = y .. "]", z = y .. "+1]" })
    local body = "o[i*W+j]=" .. join .. ";\n"
    if kind == kinds.maximum and emit.flag(draw, 0.5) then
        body = emit.fill("{\nfloat s=$p>$q?$p:$q,t=$r>$z?$r:$z;\no[i*W+j]=s>t?s:t;\n}\n", { p = x .. "]", q = x .. "+1]", r = y
            .. "]", z = y .. "+1]" })
    end
    return emit.parallel(draw) .. "for(int i=0;i<" .. (at.shift and at.rows .. "-1" or at.rows) .. ";i++){\n" .. open
        .. emit.pragma(draw) .. "for(int j=0;j<W;j++)" .. body .. "}\n"
end

function windows.shuffle(draw, kind, at)
    local maximum = kind == kinds.maximum
    local wide = draw:pick({ "x", "y" }, { 50, 50 })
    local open = "const float*x=a+i*4*W,*y=x+" .. (at.shift and "W" or "2*W") .. ";\n"
    local load = maximum and "V p=*(V*)(x+2*j),q=*(V*)(x+2*j+16),r=*(V*)(y+2*j),z=*(V*)(y+2*j+16);\np=p>r?p:r;q=q>z?q:z;\n"
        or "V p=*(V*)(x+2*j)+*(V*)(y+2*j),q=*(V*)(x+2*j+16)+*(V*)(y+2*j+16);\n"
    local split = "V s=__builtin_shufflevector(p,q," .. even .. ");\nV t=__builtin_shufflevector(p,q," .. odd .. ");\n"
    if wide == "y" then split = "V s=__builtin_shufflevector(p,q," .. even .. "),t=__builtin_shufflevector(p,q," .. odd .. ");\n" end
    local put = maximum and "*(V*)(o+i*W+j)=s>t?s:t;\n" or draw:pick({ "*(V*)(o+i*W+j)=(s+t)*.25f;\n", "*(V*)(o+i*W+j)=(s+t)/4;\n" },
        { 60, 40 })
    return emit.parallel(draw) .. "for(int i=0;i<" .. at.rows .. ";i++){\n" .. open
        .. draw:pick({ "", "#pragma GCC unroll 2\n", "#pragma GCC unroll 4\n" }, { 60, 20, 20 })
        .. "for(int j=0;j<W;j+=16){\n" .. load .. split .. put .. "}\n}\n"
end

local function pool(name)
    local kind = kinds[name]
    return function(draw)
        local mistake = emit.mistake(draw, { "bound", "start", "row" })
        local style = mistake == "start" and "loops" or draw:pick({ "loops", "pair", "shuffle" }, { 45, 40,
            mistake == "row" and 0 or 15 })
        local at = { rows = mistake == "bound" and "H-1" or "H", start = mistake == "start" and kind.wrong or kind.start,
            shift = mistake == "row" and style == "pair", index = emit.flag(draw, 0.5) }
        if mistake == "row" and style == "loops" then at.rows = "H/2" end
        return emit.program(draw, { "a" }, { "H", "W" }, windows[style](draw, kind, at))
    end
end

stencil.average_pool = pool "average"
stencil.max_pool = pool "maximum"

return stencil
