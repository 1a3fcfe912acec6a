-- Pieces from which the template teacher writes C++: statement-like text, newlines, no indentation, because a tiny model pays by the token.
-- Every choice goes through draw:pick(list, weights), so that a test can walk a whole space of programs.
local emit = {}

function emit.flag(draw, probability)
    return (draw:pick({ true, false }, { probability, 1 - probability }))
end

-- A planted mistake, or "none": a corpus without failures would teach nobody what a judge is for.
function emit.mistake(draw, names)
    local total, list, weights = 0.22, { "none" }, { 0.78 }
    for _, name in ipairs(names) do
        list[#list + 1] = name
        weights[#weights + 1] = total / #names
    end
    return (draw:pick(list, weights))
end

-- Before a loop whose iterations are independent and that is the work of one thread.
function emit.pragma(draw)
    return (draw:pick(
        { "", "#pragma omp simd", "#pragma omp simd simdlen(16)", "#pragma GCC unroll 4", "#pragma GCC unroll 8", "#pragma GCC ivdep" },
        { 45, 15, 10, 12, 10, 8 }))
end

-- Before any loop of one thread.
function emit.unroll(draw)
    return (draw:pick({ "", "#pragma GCC unroll 2", "#pragma GCC unroll 4", "#pragma GCC unroll 8" }, { 55, 15, 15, 15 }))
end

-- Before a loop that threads may share.
local schedules = { "", "#pragma omp parallel for" }
for _, schedule in ipairs { "static,4", "static,16", "dynamic,4", "dynamic,16", "guided" } do
    schedules[#schedules + 1] = "#pragma omp parallel for schedule(" .. schedule .. ")"
end

function emit.parallel(draw)
    return (draw:pick(schedules, { 62, 14, 5, 5, 5, 5, 4 }))
end

-- Before a loop that threads may share and that has no loop inside.
function emit.flat(draw)
    if emit.flag(draw, 0.65) then return emit.pragma(draw) end
    return (draw:pick({ "#pragma omp parallel for", "#pragma omp parallel for simd", "#pragma omp parallel for simd simdlen(16)",
        "#pragma omp parallel for schedule(static,64)", "#pragma omp parallel for schedule(dynamic,64)" }, { 40, 25, 10, 15, 10 }))
end

-- Before a loop that adds to the named variables.
function emit.summing(draw, names)
    return (draw:pick({ "", "#pragma omp simd reduction(+:" .. names .. ")", "#pragma omp simd reduction(+:" .. names .. ") simdlen(16)",
        "#pragma GCC unroll 4", "#pragma GCC unroll 8" }, { 48, 20, 12, 10, 10 }))
end

function emit.exponential(draw)
    return (draw:pick({ "__builtin_expf", "expf_fast" }, { 65, 35 }))
end

-- An index with an offset: "j", "j+16".
function emit.plus(index, offset)
    return offset == 0 and index or index .. "+" .. offset
end

local drawn = { parallel = true, pragma = true, unroll = true, flat = true }

-- "$name" in text becomes values.name; $parallel, $pragma, $unroll and $flat are drawn anew wherever they stand. A line that is only a
-- "$name" goes where the value is empty; a value may bring its own end of line.
function emit.text(draw, text, values)
    local function value(name)
        local found = values and values[name]
        if found == nil and drawn[name] then return emit[name](draw) end
        return found == nil and error("no value for $" .. name, 4) or tostring(found)
    end
    local lines = {}
    for line in text:gmatch("[^\n]*\n?") do
        local alone = line:match("^%$(%a+)\n?$")
        local filled = line:gsub("%$(%a+)", value)
        if alone then filled = filled:gsub("^\n$", ""):gsub("\n\n$", "\n") end
        lines[#lines + 1] = filled
    end
    return table.concat(lines)
end

-- fill(u), u = 0 .. count - 1, one after the other.
function emit.repeated(count, fill, separator)
    local list = {}
    for u = 0, count - 1 do list[#list + 1] = fill(u) end
    return table.concat(list, separator)
end

-- "s0", "s1", ... or "s" alone.
function emit.numbered(name, u, count)
    return count == 1 and name or name .. u
end

-- The whole program. inputs: names of the const float* parameters, or whole declarations. Loops count in int or in long.
function emit.program(draw, inputs, sizes, body)
    local star = emit.flag(draw, 0.2) and "*__restrict " or "*"
    local parameters = {}
    for _, input in ipairs(inputs) do
        parameters[#parameters + 1] = input:find("*", 1, true) and input or "const float" .. star .. input
    end
    parameters[#parameters + 1] = "float" .. star .. "o"
    for _, size in ipairs(sizes) do
        parameters[#parameters + 1] = "long " .. size
    end
    if emit.flag(draw, 0.3) then body = body:gsub("for%(int ", "for(long ") end
    return 'extern "C" void k(' .. table.concat(parameters, ",") .. "){\n" .. body .. "}\n"
end

return emit
