-- Pieces from which the template teacher writes C++: statement-like text, newlines, no indentation, because a tiny model pays by the token.
-- Every choice goes through draw:pick(list, weights), so that a test can walk a whole space of programs.
local emit = {}

-- "$name" in text becomes values.name.
function emit.fill(text, values)
    return (text:gsub("%$(%a+)", function(name)
        return tostring(values[name] or error("no value for $" .. name, 3))
    end))
end

function emit.flag(draw, probability)
    return draw:pick({ true, false }, { probability, 1 - probability })
end

-- A planted mistake, in a quarter of all programs: a corpus without failures would teach nobody what a judge is for.
function emit.mistake(draw, names, total)
    total = total or 0.22
    local list, weights = { "none" }, { 1 - total }
    for _, name in ipairs(names) do
        list[#list + 1] = name
        weights[#weights + 1] = total / #names
    end
    return draw:pick(list, weights)
end

-- What stands before a loop whose iterations are independent and that holds the work of one thread.
function emit.pragma(draw)
    return draw:pick({ "", "#pragma omp simd\n", "#pragma omp simd simdlen(16)\n", "#pragma GCC unroll 4\n", "#pragma GCC unroll 8\n",
        "#pragma GCC ivdep\n" },
        { 45, 15, 10, 12, 10, 8 })
end

-- What stands before a loop that threads may share.
local schedules = { "", "#pragma omp parallel for\n" }
for _, schedule in ipairs { "static,4", "static,16", "dynamic,4", "dynamic,16", "guided" } do
    schedules[#schedules + 1] = "#pragma omp parallel for schedule(" .. schedule .. ")\n"
end

function emit.parallel(draw)
    return draw:pick(schedules, { 62, 14, 5, 5, 5, 5, 4 })
end

-- What stands before a loop that threads may share and that has no loop inside.
function emit.flat(draw)
    if emit.flag(draw, 0.65) then return emit.pragma(draw) end
    return draw:pick({ "#pragma omp parallel for\n", "#pragma omp parallel for simd\n", "#pragma omp parallel for simd simdlen(16)\n",
        "#pragma omp parallel for schedule(static,64)\n", "#pragma omp parallel for schedule(dynamic,64)\n" }, { 40, 25, 10, 15, 10 })
end

function emit.exponential(draw)
    return draw:pick({ "__builtin_expf", "expf_fast" }, { 65, 35 })
end

-- index with an offset: "j", "j+16"
function emit.plus(index, offset)
    return offset == 0 and index or index .. "+" .. offset
end

-- The whole program. inputs: names of the const float* parameters, or whole declarations; loops count in int or in long.
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
