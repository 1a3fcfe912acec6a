-- One row of a matrix a(R,C): how its elements are written, its reductions, its element by element loops. In the text x is the row of a, y
-- the row of o, i the row and j the column.
local emit = require "templates.emit"
local row = {}

-- Through pointers to the row, or through the matrices.
local function addressing(draw, output)
    local form = draw:pick({ "pointer", "restrict", "index" }, { 45, 25, 30 })
    if form == "index" then return { matrix = { x = "a", y = "o" }, open = "" } end
    local star = form == "restrict" and "*__restrict " or "*"
    return { matrix = {}, open = "const float" .. star .. "x=a+i*C;\n" .. (output and "float" .. star .. "y=o+i*C;\n" or "") }
end

-- at(name, offset): the element j+offset of name.
function row.scalar(self)
    return function(name, offset)
        local index, matrix = emit.plus("j", offset or 0), self.matrix[name]
        return matrix and matrix .. "[i*C+" .. index .. "]" or name .. "[" .. index .. "]"
    end
end

-- at(name, offset): sixteen elements from j+offset.
function row.vector(self)
    return function(name, offset)
        local matrix = self.matrix[name]
        return "*(V*)(" .. (matrix and matrix .. "+i*C" or name) .. "+" .. emit.plus("j", offset or 0) .. ")"
    end
end

function row.first(self)
    return self.matrix.x and "a[i*C]" or "x[0]"
end

local function updater(draw, op)
    if op == "+" then return "$s+=$t;" end
    return (draw:pick({ "$s=$s>$t?$s:$t;", "$s=__builtin_fmaxf($s,$t);", "if($t>$s)$s=$t;" }, { 60, 25, 15 }))
end

local writers = {}

function writers.one(draw, self, what)
    return emit.text(draw, "float $s=$start;\n$head\nfor(int j=0;j<C;j++)$update\n", {
        s = what.into, start = what.start, head = draw:pick({ "", "#pragma GCC unroll 4", "#pragma GCC unroll 8" }, { 70, 15, 15 }),
        update = emit.text(draw, updater(draw, what.op), { s = what.into, t = what.term(row.scalar(self), 0) }),
    })
end

function writers.simd(draw, self, what)
    return emit.text(draw, "float $s=$start;\n#pragma omp simd reduction($op:$s)$length\nfor(int j=0;j<C;j++)$update\n", {
        s = what.into, start = what.start, op = what.op, length = draw:pick({ "", " simdlen(16)" }, { 60, 40 }),
        update = emit.text(draw, updater(draw, what.op), { s = what.into, t = what.term(row.scalar(self), 0) }),
    })
end

-- `count` sums that do not wait for each other.
local function several(draw, what, count, kind, start, step, at)
    local function name(u) return emit.numbered(kind == "V" and what.into:upper() or what.into, u, count) end
    local update = kind == "V" and what.op == "max" and "$s=$s>$t?$s:$t;" or updater(draw, what.op)
    local loop = emit.text(draw, "$kind $names;\n$unroll\nfor(int j=0;j<C;j+=$step){\n$updates\n}\n", {
        kind = kind, step = step * count, names = emit.repeated(count, function(u) return name(u) .. "=" .. start end, ","),
        updates = emit.repeated(count, function(u) return emit.text(draw, update, { s = name(u), t = what.term(at, step * u) }) end),
    })
    return loop, name, update
end

function writers.several(draw, self, what)
    local count = draw:pick({ 2, 4, 8 }, { 45, 40, 15 })
    local loop, name, update = several(draw, what, count, "float", what.start, 1, row.scalar(self))
    if what.op == "+" then return loop .. "float " .. what.into .. "=" .. emit.repeated(count, name, "+") .. ";\n" end
    local folds = emit.repeated(count - 1, function(u) return emit.text(draw, update, { s = what.into, t = name(u + 1) }) end)
    return loop .. "float " .. what.into .. "=" .. name(0) .. ";\n" .. folds .. "\n"
end

function writers.vector(draw, self, what)
    local count, sum, at = draw:pick({ 1, 2, 4 }, { 45, 30, 25 }), what.op == "+", row.vector(self)
    local start = sum and (what.start == "0" and "{}" or "{" .. what.start .. "}") or what.term(at, 0):gsub("%+j", "")
    local loop, name, update = several(draw, what, count, "V", start, 16, at)
    return emit.text(draw, "$loop\n$folds\nfloat $s=$start;\nfor(int q=0;q<16;q++)$update\n", {
        loop = loop, s = what.into, start = sum and "0" or name(0) .. "[0]",
        folds = emit.repeated(count - 1, function(u) return emit.text(draw, update, { s = name(0), t = name(u + 1) }) end),
        update = emit.text(draw, update, { s = what.into, t = name(0) .. "[q]" }),
    })
end

-- what = {into = variable, op = "+" or "max", start = text, term = function(at, offset) return text end, scalar = no vector form of term}
function row.reduce(draw, self, what)
    local style = draw:pick({ "one", "several", "simd", "vector" }, { 40, 20, 20, what.scalar and 0 or 20 })
    return writers[style](draw, self, what)
end

-- y = expression(at), by scalars or sixteen at a time; floats broadcast over V.
function row.map(draw, self, expression)
    if emit.flag(draw, 0.2) then
        local at = row.vector(self)
        return "for(int j=0;j<C;j+=16)" .. at("y") .. "=" .. expression(at) .. ";\n"
    end
    return row.each(draw, self, expression)
end

-- The same where no vector form is offered.
function row.each(draw, self, expression)
    local at = row.scalar(self)
    return emit.text(draw, "$pragma\nfor(int j=0;j<C;j++)$y=$value;\n", { y = at("y"), value = expression(at) })
end

-- body(self) of every row. wrong: the last row is forgotten.
function row.every(draw, output, wrong, body)
    local self = addressing(draw, output)
    return emit.text(draw, "$parallel\nfor(int i=0;i<$rows;i++){\n$open\n$body\n}\n",
        { rows = wrong and "R-1" or "R", open = self.open, body = body(self) })
end

return row
