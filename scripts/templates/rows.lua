-- Programs for tasks that treat each row of a matrix a(R,C) alone: reductions, norms, softmax, cross entropy.
local emit = require "templates.emit"
local row = require "templates.row"
local rows = {}

local function element(at, offset) return at("x", offset) end
local function square(at, offset) return at("x", offset) .. "*" .. at("x", offset) end
local function first(self) return self.matrix.x and "a[i*C]" or "x[0]" end

-- The slow order: down the columns, with the results kept in memory.
local function down_columns(draw, what, wrong)
    local pragma = emit.parallel(draw)
    local term = what.term(function(name) return name == "x" and "a[i*C+j]" or name .. "[j]" end, 0)
    local update = what.op == "+" and "o[i]+=$t;" or draw:pick({ "o[i]=o[i]>$t?o[i]:$t;", "if($t>o[i])o[i]=$t;" }, { 60, 40 })
    return pragma .. "for(int i=0;i<R;i++)o[i]=" .. what.start .. ";\n" .. emit.pragma(draw) .. "for(int j=0;j<C;j++)\n"
        .. emit.pragma(draw)
        .. "for(int i=0;i<" .. (wrong and "R-1" or "R") .. ";i++)" .. emit.fill(update, { t = term }) .. "\n"
end

-- Neighbouring rows at a time: their sums do not wait for each other, and what they share is loaded once.
local function several_rows(draw, what, wrong)
    local count, sum = draw:pick({ 2, 4 }, { 50, 50 }), what.op == "+"
    local vector = emit.flag(draw, 0.5)
    local step, kind = vector and 16 or 1, vector and "V" or "float"
    local update = sum and "s[u]+=$t;" or "s[u]=s[u]>$t?s[u]:$t;"
    local function at(name)
        local text = name == "x" and "(i+u)*C+j" or "j"
        local base = name == "x" and "a" or name
        return vector and "*(V*)(" .. base .. "+" .. text .. ")" or base .. "[" .. text .. "]"
    end
    local unroll = draw:pick({ "", "#pragma GCC unroll 4\n" }, { 40, 60 })
    local lanes = unroll .. "for(int u=0;u<" .. count .. ";u++)"
    local start = sum and "" or lanes .. "s[u]=" .. (vector and "*(V*)(a+(i+u)*C)" or "a[(i+u)*C]") .. ";\n"
    local text = emit.parallel(draw) .. "for(int i=0;i<" .. (wrong and "R-4" or "R") .. ";i+=" .. count .. "){\n" .. kind .. " s["
        .. count .. "]={};\n" .. start
        .. draw:pick({ "", "#pragma GCC unroll 2\n", "#pragma GCC unroll 4\n", "#pragma GCC unroll 8\n" }, { 55, 15, 15, 15 })
            .. "for(int j=0;j<C;j+=" .. step .. ")\n" .. lanes .. emit.fill(update, { t = what.term(at, 0) }) .. "\n"
    if not vector then return text .. lanes .. "o[i+u]=s[u]" .. (what.start == "1" and "+1" or "") .. ";\n}\n" end
    local fold = sum and "t+=s[u][q];" or "t=t>s[u][q]?t:s[u][q];"
    return text .. "for(int u=0;u<" .. count .. ";u++){\nfloat t=" .. (sum and what.start or "s[u][0]") .. ";\nfor(int q=0;q<16;q++)"
        .. fold .. "\no[i+u]=t;\n}\n}\n"
end

-- One number a row: task = {inputs, op, start(self), wrong(self), term(at, offset)}.
local function reduction(task)
    return function(draw)
        local mistake = emit.mistake(draw, { "bound", "start" })
        local start = mistake == "start" and task.wrong or task.start
        local what = { into = "s", op = task.op, term = task.term }
        local style = draw:pick({ "row", "rows", "column" }, { 65, 20, 15 })
        local body
        if style ~= "row" then
            what.start = start { matrix = { x = "a" } }
            body = (style == "rows" and several_rows or down_columns)(draw, what, mistake == "bound")
        else
            body = row.every(draw, false, mistake == "bound", function(self)
                what.start = start(self)
                return row.reduce(draw, self, what) .. "o[i]=s;\n"
            end)
        end
        return emit.program(draw, task.inputs, { "R", "C" }, body)
    end
end

local function zero() return "0" end
local function one() return "1" end

rows.row_sum = reduction { inputs = { "a" }, op = "+", start = zero, wrong = one, term = element }
rows.row_max = reduction { inputs = { "a" }, op = "max", start = first, wrong = zero, term = element }
rows.sum_of_squares = reduction { inputs = { "a" }, op = "+", start = zero, wrong = first, term = square }
rows.matvec = reduction { inputs = { "a", "b" }, op = "+", start = zero, wrong = one, term = function(at, offset)
    return at("x", offset) .. "*" .. at("b", offset)
end }

-- y = exp(x - m) and s = their sum, in one loop or in two.
local function exponentials(draw, self, exp, argument, start)
    if emit.flag(draw, 0.5) then
        local pragma = draw:pick({ "", "#pragma omp simd reduction(+:s)\n", "#pragma omp simd reduction(+:s) simdlen(16)\n",
            "#pragma GCC unroll 4\n" }, { 55, 20, 10, 15 })
        local body = draw:pick({ "{\n$y=$e;\ns+=$y;\n}\n", "{\nfloat t=$e;\n$y=t;\ns+=t;\n}\n" }, { 50, 50 })
        local at = row.scalar(self)
        return "float s=" .. start .. ";\n" .. pragma .. "for(int j=0;j<C;j++)" .. emit.fill(body, { y = at("y"), e = exp .. "("
            .. argument(at) .. ")" })
    end
    local loop = row.each(draw, self, function(at) return at("y") .. "=" .. exp .. "(" .. argument(at) .. ");" end)
    return loop .. row.reduce(draw, self, { into = "s", op = "+", start = start, term = function(at, offset) return at("y", offset) end })
end

function rows.softmax(draw)
    local mistake = emit.mistake(draw, { "bound", "start", "shift" })
    local exp = emit.exponential(draw)
    local argument = function(at) return mistake == "shift" and at("x") or at("x") .. "-m" end
    return emit.program(draw, { "a" }, { "R", "C" }, row.every(draw, true, mistake == "bound", function(self)
        local text = row.reduce(draw, self, { into = "m", op = "max", start = first(self), term = element })
            .. exponentials(draw, self, exp, argument, mistake == "start" and "1" or "0")
        if emit.flag(draw, 0.4) then
            return text .. "float r=1/s;\n" .. row.map(draw, self, function(at) return at("y") .. "*r" end)
        end
        return text .. row.map(draw, self, function(at) return at("y") .. "/s" end)
    end))
end

-- Loss of each row: log(sum exp(x - m)) + m - x[class].
function rows.cross_entropy(draw)
    local mistake = emit.mistake(draw, { "bound", "start", "shift" })
    local exp = emit.exponential(draw)
    return emit.program(draw, { "a", "const long*b" }, { "R", "C" }, row.every(draw, false, mistake == "bound", function(self)
        local target = self.matrix.x and "a[i*C+b[i]]" or "x[b[i]]"
        local maximum = row.reduce(draw, self, { into = "m", op = "max", start = first(self), term = element })
        local sum = row.reduce(draw, self, { into = "s", op = "+", start = mistake == "start" and "1" or "0", scalar = true,
            term = function(at, offset)
            return exp .. "(" .. at("x", offset) .. (mistake == "shift" and "" or "-m") .. ")"
        end })
        local finish = draw:pick({ "o[i]=__builtin_logf(s)+m-$t;\n", "o[i]=m-$t+__builtin_logf(s);\n",
            "float t=$t-m;\no[i]=__builtin_logf(s)-t;\n" }, { 50, 25, 25 })
        if mistake == "shift" then finish = "o[i]=__builtin_logf(s)-$t;\n" end
        return maximum .. sum .. emit.fill(finish, { t = target })
    end))
end

-- The end of a norm: scale is 1/deviation; the root is taken once a row, or (slow) once an element.
local function normalised(draw, self, variance, centred, affine)
    if emit.flag(draw, 0.5) then
        local root = draw:pick({ "float r=1/__builtin_sqrtf($v+1e-5f);\n", "float r=__builtin_sqrtf($v+1e-5f);\n" }, { 60, 40 })
        local by = root:find("1/", 1, true) and "*r" or "/r"
        return emit.fill(root, { v = variance }) .. row.map(draw, self, function(at) return affine(at, centred(at) .. by) end)
    end
    local at_once = function(at) return affine(at, centred(at) .. "/__builtin_sqrtf(" .. variance .. "+1e-5f)") end
    return row.each(draw, self, function(at) return at("y") .. "=" .. at_once(at) .. ";" end)
end

function rows.rms_norm(draw)
    local mistake = emit.mistake(draw, { "bound", "start", "weight" })
    return emit.program(draw, { "a", "w" }, { "R", "C" }, row.every(draw, true, mistake == "bound", function(self)
        local start = mistake == "start" and first(self) or "0"
        return row.reduce(draw, self, { into = "s", op = "+", start = start, term = square })
            .. normalised(draw, self, "s/C", element, function(at, value)
            return mistake == "weight" and value or value .. "*" .. at("w")
        end)
    end))
end

local function mean_and_variance(draw, self, start)
    if emit.flag(draw, 0.3) then -- in one pass over the row, by E[x^2] - E[x]^2
        local pragma = draw:pick({ "", "#pragma omp simd reduction(+:m,s)\n", "#pragma omp simd reduction(+:m,s) simdlen(16)\n",
            "#pragma GCC unroll 4\n" }, { 50, 25, 10, 15 })
        local at = row.scalar(self)
        return "float m=" .. start .. ",s=0;\n" .. pragma .. emit.fill("for(int j=0;j<C;j++){\nm+=$x;\ns+=$x*$x;\n}\nm/=C;\n",
            { x = at("x") }), "s/C-m*m"
    end
    local mean = row.reduce(draw, self, { into = "m", op = "+", start = start, term = element }) .. "m/=C;\n"
    return mean .. row.reduce(draw, self, { into = "s", op = "+", start = "0", term = function(at, offset)
        return "(" .. at("x", offset) .. "-m)*(" .. at("x", offset) .. "-m)"
    end }), "s/C"
end

function rows.layer_norm(draw)
    local mistake = emit.mistake(draw, { "bound", "start", "bias" })
    return emit.program(draw, { "a", "w", "b" }, { "R", "C" }, row.every(draw, true, mistake == "bound", function(self)
        local text, variance = mean_and_variance(draw, self, mistake == "start" and "C" or "0")
        return text .. normalised(draw, self, variance, function(at) return "(" .. at("x") .. "-m)" end, function(at, value)
            return value .. "*" .. at("w") .. (mistake == "bias" and "" or "+" .. at("b"))
        end)
    end))
end

return rows
