-- Programs for tasks that treat each row of a matrix a(R,C) alone: reductions, norms, softmax, cross entropy.
local emit = require "templates.emit"
local row = require "templates.row"
local rows = {}

local function element(at, offset) return at("x", offset) end
local function square(at, offset) return at("x", offset) .. "*" .. at("x", offset) end
local function zero() return "0" end
local function one() return "1" end

local styles = {}

function styles.row(draw, task, wrong, start)
    return row.every(draw, false, wrong, function(self)
        return row.reduce(draw, self, { into = "s", op = task.op, start = start(self), term = task.term }) .. "o[i]=s;\n"
    end)
end

-- The slow order: down the columns, with the results kept in memory.
function styles.column(draw, task, wrong, start)
    local update = task.op == "+" and "o[i]+=$t;" or draw:pick({ "o[i]=o[i]>$t?o[i]:$t;", "if($t>o[i])o[i]=$t;" }, { 60, 40 })
    local term = task.term(function(name) return name == "x" and "a[i*C+j]" or name .. "[j]" end, 0)
    return emit.text(draw, [[
$parallel
for(int i=0;i<R;i++)o[i]=$start;
$pragma
for(int j=0;j<C;j++)
$pragma
for(int i=0;i<$rows;i++)$update
]], { start = start { matrix = { x = "a" } }, rows = wrong and "R-1" or "R", update = emit.text(draw, update, { t = term }) })
end

-- Neighbouring rows at a time: their sums do not wait for each other, and what they share is loaded once.
function styles.rows(draw, task, wrong, start)
    local count, sum, vector = draw:pick({ 2, 4 }, { 50, 50 }), task.op == "+", emit.flag(draw, 0.5)
    local function at(name)
        local base, index = name == "x" and "a" or name, name == "x" and "(i+u)*C+j" or "j"
        return vector and "*(V*)(" .. base .. "+" .. index .. ")" or base .. "[" .. index .. "]"
    end
    local full = draw:pick({ "", "#pragma GCC unroll 4" }, { 40, 60 })
    local lanes = emit.text(draw, "$full\nfor(int u=0;u<$count;u++)", { count = count, full = full })
    local values = {
        rows = wrong and "R-4" or "R", count = count, lanes = lanes, kind = vector and "V" or "float", step = vector and 16 or 1,
        open = sum and "" or lanes .. "s[u]=" .. (vector and "*(V*)(a+(i+u)*C)" or "a[(i+u)*C]") .. ";\n",
        update = emit.text(draw, sum and "s[u]+=$t;" or "s[u]=s[u]>$t?s[u]:$t;", { t = task.term(at, 0) }),
        start = start { matrix = { x = "a" } }, fold = sum and "t+=s[u][q];" or "t=t>s[u][q]?t:s[u][q];",
    }
    if not sum then values.start = "s[u][0]" end
    values.close = vector and "for(int u=0;u<$count;u++){\nfloat t=$start;\nfor(int q=0;q<16;q++)$fold\no[i+u]=t;\n}\n"
        or "$lanes\no[i+u]=s[u]" .. (values.start == "1" and "+1" or "") .. ";\n"
    values.close = emit.text(draw, values.close, values)
    return emit.text(draw, [[
$parallel
for(int i=0;i<$rows;i+=$count){
$kind s[$count]={};
$open
$unroll
for(int j=0;j<C;j+=$step)
$lanes$update
$close
}
]], values)
end

-- One number a row: task = {inputs, op, start(self), wrong(self), term(at, offset)}.
local function reduction(task)
    return function(draw)
        local mistake = emit.mistake(draw, { "bound", "start" })
        local style = draw:pick({ "row", "rows", "column" }, { 65, 20, 15 })
        local body = styles[style](draw, task, mistake == "bound", mistake == "start" and task.wrong or task.start)
        return emit.program(draw, task.inputs, { "R", "C" }, body)
    end
end

rows.row_sum = reduction { inputs = { "a" }, op = "+", start = zero, wrong = one, term = element }
rows.row_max = reduction { inputs = { "a" }, op = "max", start = row.first, wrong = zero, term = element }
rows.sum_of_squares = reduction { inputs = { "a" }, op = "+", start = zero, wrong = row.first, term = square }
rows.matvec = reduction { inputs = { "a", "b" }, op = "+", start = zero, wrong = one, term = function(at, offset)
    return at("x", offset) .. "*" .. at("b", offset)
end }

-- y = exp(argument) and s = their sum, in one loop or in two.
local function exponentials(draw, self, exp, argument, start)
    local function value(at) return exp .. "(" .. argument(at) .. ")" end
    if emit.flag(draw, 0.5) then
        local body = draw:pick({ "$y=$e;\ns+=$y;\n", "float t=$e;\n$y=t;\ns+=t;\n" }, { 50, 50 })
        local at = row.scalar(self)
        return emit.text(draw, "float s=$start;\n$head\nfor(int j=0;j<C;j++){\n$body\n}\n", {
            start = start, head = emit.summing(draw, "s"), body = emit.text(draw, body, { y = at("y"), e = value(at) }),
        })
    end
    return row.each(draw, self, value)
        .. row.reduce(draw, self, { into = "s", op = "+", start = start, term = function(at, offset) return at("y", offset) end })
end

function rows.softmax(draw)
    local mistake = emit.mistake(draw, { "bound", "start", "shift" })
    local exp = emit.exponential(draw)
    local function argument(at) return mistake == "shift" and at("x") or at("x") .. "-m" end
    return emit.program(draw, { "a" }, { "R", "C" }, row.every(draw, true, mistake == "bound", function(self)
        local text = row.reduce(draw, self, { into = "m", op = "max", start = row.first(self), term = element })
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
    local function term(at, offset) return exp .. "(" .. at("x", offset) .. (mistake == "shift" and "" or "-m") .. ")" end
    return emit.program(draw, { "a", "const long*b" }, { "R", "C" }, row.every(draw, false, mistake == "bound", function(self)
        local finish = draw:pick({
            "o[i]=__builtin_logf(s)+m-$t;\n", "o[i]=m-$t+__builtin_logf(s);\n", "float t=$t-m;\no[i]=__builtin_logf(s)-t;\n",
        }, { 50, 25, 25 })
        if mistake == "shift" then finish = "o[i]=__builtin_logf(s)-$t;\n" end
        return row.reduce(draw, self, { into = "m", op = "max", start = row.first(self), term = element })
            .. row.reduce(draw, self, { into = "s", op = "+", start = mistake == "start" and "1" or "0", scalar = true, term = term })
            .. emit.text(draw, finish, { t = self.matrix.x and "a[i*C+b[i]]" or "x[b[i]]" })
    end))
end

-- The end of a norm. The root is taken once a row, or (slow) once an element.
local function normalised(draw, self, variance, centred, affine)
    if emit.flag(draw, 0.5) then
        local by = draw:pick({ "*r", "/r" }, { 60, 40 })
        local root = emit.text(draw, "float r=$one__builtin_sqrtf($v+1e-5f);\n", { one = by == "*r" and "1/" or "", v = variance })
        return root .. row.map(draw, self, function(at) return affine(at, centred(at) .. by) end)
    end
    return row.each(draw, self, function(at) return affine(at, centred(at) .. "/__builtin_sqrtf(" .. variance .. "+1e-5f)") end)
end

function rows.rms_norm(draw)
    local mistake = emit.mistake(draw, { "bound", "start", "weight" })
    return emit.program(draw, { "a", "w" }, { "R", "C" }, row.every(draw, true, mistake == "bound", function(self)
        local start = mistake == "start" and row.first(self) or "0"
        return row.reduce(draw, self, { into = "s", op = "+", start = start, term = square })
            .. normalised(draw, self, "s/C", element, function(at, value)
                return mistake == "weight" and value or value .. "*" .. at("w")
            end)
    end))
end

-- Text that computes the mean m and the sum s, and the variance in terms of them.
local function mean_and_variance(draw, self, start)
    if emit.flag(draw, 0.3) then -- in one pass over the row, by E[x^2] - E[x]^2
        return emit.text(draw, "float m=$start,s=0;\n$head\nfor(int j=0;j<C;j++){\nm+=$x;\ns+=$x*$x;\n}\nm/=C;\n",
            { start = start, head = emit.summing(draw, "m,s"), x = row.scalar(self)("x") }), "s/C-m*m"
    end
    local function centred(at, offset) return "(" .. at("x", offset) .. "-m)" end
    return row.reduce(draw, self, { into = "m", op = "+", start = start, term = element }) .. "m/=C;\n"
        .. row.reduce(draw, self, { into = "s", op = "+", start = "0", term = function(at, offset)
            return centred(at, offset) .. "*" .. centred(at, offset)
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
