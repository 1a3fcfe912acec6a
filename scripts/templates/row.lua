-- One row of a matrix a(R,C), its reductions and element by element loops. In the text, x is the row of a and y the row of o.
local emit = require "templates.emit"
local row = {}

-- How elements of the row are written: through a pointer to the row or through the matrix.
local function addressing(draw, output)
    local form = draw:pick({ "pointer", "restrict", "index" }, { 45, 25, 30 })
    local self = { matrix = {}, open = "" }
    if form == "index" then
        self.matrix = { x = "a", y = "o" }
    else
        local star = form == "restrict" and "*__restrict " or "*"
        self.open = "const float" .. star .. "x=a+i*C;\n" .. (output and "float" .. star .. "y=o+i*C;\n" or "")
    end
    return self
end

-- at(name, offset): the element j+offset of name; or sixteen elements from there.
function row.scalar(self)
    return function(name, offset)
        local index = emit.plus("j", offset or 0)
        local matrix = self.matrix[name]
        return matrix and matrix .. "[i*C+" .. index .. "]" or name .. "[" .. index .. "]"
    end
end

function row.vector(self)
    return function(name, offset)
        local index = emit.plus("j", offset or 0)
        local matrix = self.matrix[name]
        return "*(V*)(" .. (matrix and matrix .. "+i*C" or name) .. "+" .. index .. ")"
    end
end

local function updater(draw, op)
    if op == "+" then return "$s+=$t;" end
    return draw:pick({ "$s=$s>$t?$s:$t;", "$s=__builtin_fmaxf($s,$t);", "if($t>$s)$s=$t;" }, { 60, 25, 15 })
end

local function names(prefix, count)
    local list = {}
    for i = 1, count do list[i] = prefix .. (count == 1 and "" or i - 1) end
    return list
end

local function declare(kind, list, start)
    local parts = {}
    for i, name in ipairs(list) do parts[i] = name .. "=" .. start end
    return kind .. " " .. table.concat(parts, ",") .. ";\n"
end

local writers = {}

function writers.one(draw, self, what)
    local unroll = draw:pick({ "", "#pragma GCC unroll 4\n", "#pragma GCC unroll 8\n" }, { 70, 15, 15 })
    local update = emit.fill(updater(draw, what.op), { s = what.into, t = what.term(row.scalar(self), 0) })
    return declare("float", { what.into }, what.start) .. unroll .. "for(int j=0;j<C;j++)" .. update .. "\n"
end

function writers.simd(draw, self, what)
    local length = draw:pick({ "", " simdlen(16)" }, { 60, 40 })
    local op = what.op == "+" and "+" or "max"
    return declare("float", { what.into }, what.start) .. "#pragma omp simd reduction(" .. op .. ":" .. what.into .. ")" .. length
        .. "\nfor(int j=0;j<C;j++)" .. emit.fill(updater(draw, what.op), { s = what.into, t = what.term(row.scalar(self), 0) }) .. "\n"
end

function writers.several(draw, self, what)
    local count = draw:pick({ 2, 4, 8 }, { 45, 40, 15 })
    local list, update, text = names(what.into, count), updater(draw, what.op), {}
    for i, name in ipairs(list) do text[i] = emit.fill(update, { s = name, t = what.term(row.scalar(self), i - 1) }) end
    local unroll = draw:pick({ "", "#pragma GCC unroll 2\n", "#pragma GCC unroll 4\n" }, { 70, 15, 15 })
    local loop = declare("float", list, what.start) .. unroll .. "for(int j=0;j<C;j+=" .. count .. "){\n" .. table.concat(text) .. "\n}\n"
    if what.op == "+" then return loop .. "float " .. what.into .. "=" .. table.concat(list, "+") .. ";\n" end
    local fold = { "float " .. what.into .. "=" .. list[1] .. ";\n" }
    for i = 2, count do fold[i] = emit.fill(update, { s = what.into, t = list[i] }) end
    return loop .. table.concat(fold) .. "\n"
end

function writers.vector(draw, self, what)
    local count, sum = draw:pick({ 1, 2, 4 }, { 45, 30, 25 }), what.op == "+"
    local list, text = names(what.into:upper(), count), {}
    local update = sum and "$s+=$t;" or "$s=$s>$t?$s:$t;"
    for i, name in ipairs(list) do text[i] = emit.fill(update, { s = name, t = what.term(row.vector(self), 16 * (i - 1)) }) end
    local start = sum and (what.start == "0" and "{}" or "{" .. what.start .. "}") or what.term(row.vector(self), 0):gsub("%+j", "")
    local unroll = draw:pick({ "", "#pragma GCC unroll 2\n", "#pragma GCC unroll 4\n", "#pragma GCC unroll 8\n" }, { 55, 15, 15, 15 })
    local loop = { declare("V", list, start), unroll, "for(int j=0;j<C;j+=" .. 16 * count .. "){\n", table.concat(text), "\n}\n" }
    for i = 2, count do loop[#loop + 1] = emit.fill(update, { s = list[1], t = list[i] }) .. (i == count and "\n" or "") end
    loop[#loop + 1] = "float " .. what.into .. "=" .. (sum and "0" or list[1] .. "[0]") .. ";\nfor(int q=0;q<16;q++)"
    loop[#loop + 1] = emit.fill(update, { s = what.into, t = list[1] .. "[q]" }) .. "\n"
    return table.concat(loop)
end

-- what = {into = variable, op = "+" or "max", start = text, term = function(at, offset) return text end, scalar = no vector form of term}
function row.reduce(draw, self, what)
    local style = draw:pick({ "one", "several", "simd", "vector" }, { 40, 20, 20, what.scalar and 0 or 20 })
    return writers[style](draw, self, what)
end

-- y[j] = expression(at), for scalars or sixteen at a time; floats broadcast over V.
function row.map(draw, self, expression)
    if emit.flag(draw, 0.2) then
        local at = row.vector(self)
        return "for(int j=0;j<C;j+=16)" .. at("y") .. "=" .. expression(at) .. ";\n"
    end
    local at = row.scalar(self)
    return emit.pragma(draw) .. "for(int j=0;j<C;j++)" .. at("y") .. "=" .. expression(at) .. ";\n"
end

-- A loop over single elements, where no vector form is offered: body(at) is a statement or a block.
function row.each(draw, self, body)
    return emit.pragma(draw) .. "for(int j=0;j<C;j++)" .. body(row.scalar(self)) .. "\n"
end

-- body(self) of every row. wrong: the last row is forgotten.
function row.every(draw, output, wrong, body)
    local self = addressing(draw, output)
    return emit.parallel(draw) .. "for(int i=0;i<" .. (wrong and "R-1" or "R") .. ";i++){\n" .. self.open .. body(self) .. "}\n"
end

return row
