-- CUDA programs for tasks that treat each row of a matrix a(R,C) alone: reductions, norms, softmax, cross entropy. A row belongs to a
-- thread, a warp or a block.
local emit = require "templates.cuda.emit"
local row = require "templates.cuda.row"
local rows = {}

local function reduction(o) return function(draw) return row.reduction(draw, o) end end

local sum, squares = { "s+=X;", "s=s+X;" }, { "s+=X*X;", "s=fmaf(X,X,s);" }
rows.row_sum = reduction { operation = "sum", ways = sum, wrong = "s+=X*X;", last = "s" }
rows.row_max = reduction { -- NaN if there is one
    operation = "most", ways = { "s=s>X||s!=s?s:X;", "if(!(s>X)&&s==s)s=X;" }, wrong = "s=fmaxf(s,X);", start = "x[0]", last = "s",
}
rows.sum_of_squares = reduction { operation = "sum", ways = squares, wrong = "s+=X;", last = "s" }
rows.matvec = reduction {
    operation = "sum", ways = { "s+=X*V;", "s=fmaf(X,V,s);" }, wrong = "s+=X;", last = "s", inputs = { "a", "b" }, reads = "XV",
}

-- A row's largest value m and its sum s of exponentials, apart or in one pass. E is the exponential.
local function softmax_sums(draw, self, E, wrong)
    if wrong then return "float m=0,s=0;\n" .. row.pass(draw, self, "X", "s+=" .. E .. "(X);") .. row.join(draw, self, "sum", "s") end
    if emit.flag(draw, 0.35) then
        return "float m=x[0],s=0;\n" .. row.pass(draw, self, "X", ("if(X>m){s*=%s(m-X);m=X;}\ns+=%s(X-m);"):format(E, E))
            .. (not self.join and "" or "float n=m;\n" .. row.join(draw, self, "top", "m") .. ("s*=%s(n-m);\n"):format(E)
                .. row.join(draw, self, "sum", "s"))
    end
    local largest = row.pass(draw, self, "X", draw:pick({ "m=fmaxf(m,X);", "m=m>X?m:X;" }, { 60, 40 })) .. row.join(draw, self, "top", "m")
    return "float m=x[0];\n" .. largest .. "float s=0;\n" .. row.pass(draw, self, "X", ("s+=%s(X-m);"):format(E)) .. row.join(draw, self, "sum", "s")
end

function rows.softmax(draw)
    local mistake, E, self = emit.mistake(draw, { "maximum", "scale" }), emit.exponential(draw), row.new(draw, true)
    return row.program(draw, self, { "a" }, function()
        if emit.flag(draw, 0.3) then row.keep(draw, self, "X", "X") end
        local text = softmax_sums(draw, self, E, mistake == "maximum")
        local way = draw:pick({ "times", "over", "divide" }, { 50, 30, 20 })
        local value = ({ times = "%s(X-m)*s", over = "%s(X-m)/s", divide = "__fdividef(%s(X-m),s)" })[way]:format(E)
        if mistake == "scale" then value = E .. "(X-m)" end
        return text .. (way == "times" and "s=1/s;\n" or "") .. row.put(draw, self, "X", value, "y")
    end)
end

function rows.log_softmax(draw)
    local mistake, E, self = emit.mistake(draw, { "maximum", "scale" }), emit.exponential(draw), row.new(draw, true)
    return row.program(draw, self, { "a" }, function()
        if emit.flag(draw, 0.3) then row.keep(draw, self, "X", "X") end
        local text = softmax_sums(draw, self, E, mistake == "maximum")
        local logarithm = draw:pick({ "s=logf(s);\n", "s=__logf(s);\n" }, { 60, 40 })
        return text .. logarithm .. row.put(draw, self, "X", mistake == "scale" and "X-m" or "X-m-s", "y")
    end)
end

function rows.logsumexp(draw)
    local mistake, E, self = emit.mistake(draw, { "maximum", "infinity" }), emit.exponential(draw), row.new(draw, false)
    return row.program(draw, self, { "a" }, function()
        local logarithm = draw:pick({ "m+logf(s)", "m+__logf(s)" }, { 60, 40 })
        if mistake ~= "infinity" then logarithm = "isinf(m)?m:" .. logarithm end
        return softmax_sums(draw, self, E, mistake == "maximum") .. row.result(self, logarithm)
    end)
end

-- b[r] is the class of a row.
function rows.cross_entropy(draw)
    local mistake, E, self = emit.mistake(draw, { "maximum", "class" }), emit.exponential(draw), row.new(draw, false)
    return row.program(draw, self, { "a", "const long long*b" }, function()
        if emit.flag(draw, 0.2) then row.keep(draw, self, "X", "X") end
        local logarithm = draw:pick({ "logf", "__logf" }, { 60, 40 })
        local class = mistake == "class" and "0" or "b[r]"
        return softmax_sums(draw, self, E, mistake == "maximum") .. row.result(self, logarithm .. "(s)+m-x[" .. class .. "]")
    end)
end

-- The mean m and the reciprocal deviation s of a row's terms t: from two sums in one pass, or from the deviations in a second.
local function moments(draw, self, reads, t, wrong)
    local root = draw:pick({ "s=rsqrtf($v+1e-5f);\n", "s=1/sqrtf($v+1e-5f);\n" }, { 60, 40 })
    if wrong then root = root:gsub("%+1e%-5f", "+1") end
    local function sum(statement, ...)
        local text = row.pass(draw, self, reads, (statement:gsub("t", t)))
        for _, variable in ipairs { ... } do text = text .. row.join(draw, self, "sum", variable) end
        return text
    end
    if emit.flag(draw, 0.4) then return "float m=0,s=0;\n" .. sum("m+=t;s+=t*t;", "m", "s") .. "m/=C;\n" .. root:gsub("%$v", "s/C-m*m") end
    return "float m=0,s=0;\n" .. sum("m+=t;", "m") .. "m/=C;\n" .. sum("s+=(t-m)*(t-m);", "s") .. root:gsub("%$v", "s/C")
end

-- Layer norm of the sum of the rows that are read.
local function layer_norm(inputs, reads, t, pointers)
    return function(draw)
        local mistake, self = emit.mistake(draw, { "epsilon", "bias" }), row.new(draw, true, pointers)
        return row.program(draw, self, inputs, function()
            if emit.flag(draw, 0.3) then row.keep(draw, self, reads, t) end
            local reads, t = self.kept and "X" or reads, self.kept and "X" or t
            local text, last = moments(draw, self, reads, t, mistake == "epsilon"), "B"
            if mistake == "bias" then last = "0" end
            local value = draw:pick({ "(t-m)*s*W+" .. last, "fmaf((t-m)*s,W," .. last .. ")" }, { 60, 40 }):gsub("t", t)
            return text .. row.put(draw, self, reads .. (last == "B" and "WB" or "W"), value, "y")
        end)
    end
end

rows.layer_norm = layer_norm({ "a", "w", "b" }, "X", "X")
rows.add_layer_norm = layer_norm({ "a", "d", "w", "b" }, "XE", "(X+E)", "x=a+r*C,*e=d+r*C")

-- How a row's sum of squares becomes the factor of its elements. weighted: an input w.
local function scaled(factor, wrong, weighted)
    return function(draw)
        local mistake, self = emit.mistake(draw, { "factor", "weight" }), row.new(draw, true)
        return row.program(draw, self, weighted and { "a", "w" } or { "a" }, function()
            if emit.flag(draw, 0.3) then row.keep(draw, self, "X", "X") end
            local text = "float s=0;\n" .. row.pass(draw, self, "X", draw:pick(squares, { 50, 50 }))
            text = text .. row.join(draw, self, "sum", "s") .. (mistake == "factor" and wrong or draw:pick(factor, { 60, 40 }))
            if mistake == "weight" then return text .. row.put(draw, self, "X", "X+s", "y") end
            return text .. row.put(draw, self, weighted and "XW" or "X", weighted and draw:pick({ "X*s*W", "X*(s*W)" }, { 60, 40 }) or "X*s", "y")
        end)
    end
end

rows.rms_norm = scaled({ "s=rsqrtf(s/C+1e-5f);\n", "s=1/sqrtf(s/C+1e-5f);\n" }, "s=rsqrtf(s+1e-5f);\n", true)
rows.l2_normalize = scaled({ "s=rsqrtf(fmaxf(s,1e-24f));\n", "s=1/fmaxf(sqrtf(s),1e-12f);\n" }, "s=rsqrtf(s+1);\n", false)

return rows
