-- How strong is the verifier? Random small mutations of honest kernels (tests/exploits/honest) are judged, and the share of those that do
-- something else than their original and are caught is told. What "something else" means is decided by mutant_peer, which shares nothing
-- with the judge. Seeds are fixed; --resume goes on after a crash, without judging anything twice.
--
--   hone run tests/strength/strength.lua --set mutant.peer=build/release/bin/mutant_peer --set mutant.count=500
local hone = require "hone"
local mutations = require "mutations"
local source = hone.settings("mutant.source", ".")  -- the source tree
local peer, honest, unit = hone.settings("mutant.peer", "build/release/bin/mutant_peer"), source .. "/tests/exploits/honest",
    source .. "/plugins/verifier_cpp/unit.cpp"
local wanted, least = hone.settings("mutant.count", 500), hone.settings("mutant.least", 0.95)

local run = hone.run { name = hone.settings("mutant.name", "strength"), seed = hone.settings("mutant.seed", 11) }
-- Speed is not the question: the shortest measurement that there is.
local judge = run:judge { verifier = run:verifier("cpp"), timer = run:timer("wall"), reference = run:reference("torch"),
    seconds = 0.001, pairs = 8, precision = 1 }
local rng = run:rng("mutants")
local pending_most, shapes_each = 3, 7

local function read(file)
    local handle = assert(io.open(file))
    local text = handle:read("a")
    handle:close()
    return text
end

local function write(file, text)
    local handle = assert(io.open(file, "w"))
    handle:write(text)
    handle:close()
end

local function output_of(command)
    local handle = assert(io.popen(command))
    local text = handle:read("a")
    handle:close()
    return text
end

-- The words that every candidate may use: the contract's header, as text in the verifier's source.
local work = output_of("mktemp -d"):match("%S+")
write(work .. "/contract.hpp", assert(read(unit):match('contract = R"%((.-)%)";'), "no contract in " .. unit))

-- With the verifier's own flags: what a program does that leaves its arrays is decided by them.
local function compile(code, name)
    write(("%s/%s.cpp"):format(work, name), code)
    return os.execute(("timeout 30 c++ -std=c++20 -O3 -march=native -fno-math-errno -fno-trapping-math -fopenmp -fPIC -shared -w "
        .. "-include %s/contract.hpp %s/%s.cpp -o %s/%s.so 2>/dev/null"):format(work, work, name, work, name))
end

local function extent(entry, sizes)
    if type(entry) == "number" then return entry end
    local factor, name, summand = entry:match("^(%d*)%*?(%a%w*)([+-]?%d*)$")
    return (math.tointeger(factor) or 1) * sizes[name] + (math.tointeger(summand) or 0)
end

local function elements(tensor, sizes)
    local n = 1
    for _, entry in ipairs(tensor.shape) do n = n * extent(entry, sizes) end
    return n
end

-- Shapes that the task allows and the judge does not use, small and not so small.
local function spec_of(task)
    local draw, lines, judged = run:rng("shapes/" .. task.name), {}, { task.shape, table.unpack(task.hidden) }
    local function is_judged(sizes)
        for _, shape in ipairs(judged) do
            local same = true
            for _, name in ipairs(task.sizes) do same = same and shape[name] == sizes[name] end
            if same then return true end
        end
        return false
    end
    while #lines < shapes_each do
        local sizes, words = {}, {}
        for _, name in ipairs(task.sizes) do
            local step = task.multiples[name]
            sizes[name] = step and step * draw:pick { 1, 1, 2, 3, 5 } or draw:pick { 1, 2, 3, 5, 7, 13, 31, 70 }
        end
        for _, side in ipairs { "inputs", "outputs" } do
            for _, tensor in ipairs(task[side]) do
                local limit = tensor.law and tensor.law:match("^index%((%w+)%)$")
                words[#words + 1] = ("%s %s %d"):format(side == "inputs" and "in" or "out", tensor.dtype, elements(tensor, sizes))
                if limit then words[#words + 1] = ("%d"):format(sizes[limit] or math.tointeger(limit)) end
            end
        end
        words[#words + 1] = "sizes"
        for _, name in ipairs(task.sizes) do words[#words + 1] = ("%d"):format(sizes[name]) end
        if not is_judged(sizes) then lines[#lines + 1] = table.concat(words, " ") end
    end
    return table.concat(lines, "\n") .. "\n"
end

-- The honest programs whose originals can be compared: {name, task, changes by kind}.
local function read_kernels()
    local suite, of, list = run:suite("cpu-basics", { role = "all" }), {}, {}
    for _, task in ipairs(suite) do of[task.name] = task end
    for file in output_of("ls " .. honest .. "/*.cpp"):gmatch("%S+") do
        local name = file:match("([^/]+)%.cpp$")
        if name:match("%.own_names$") then goto next end  -- brings its own names for the contract's, which the verifier then leaves out
        local task, code = of[name:match("^[^.]+")], read(file)
        local kernel = { name = name, task = task, code = code, kinds = {}, by_kind = {} }
        for _, change in ipairs(task and mutations.of(code) or {}) do
            if not kernel.by_kind[change.kind] then
                kernel.kinds[#kernel.kinds + 1], kernel.by_kind[change.kind] = change.kind, {}
            end
            table.insert(kernel.by_kind[change.kind], change)
        end
        if #kernel.kinds > 0 then list[#list + 1] = kernel end
        ::next::
    end
    return list
end

-- "same", "differs: why", "unknown: why" where the original itself fails, or "no build".
local function compared(kernel, code)
    if not kernel.built then
        assert(compile(kernel.code, kernel.name), kernel.name .. " does not compile")
        write(("%s/%s.spec"):format(work, kernel.name), spec_of(kernel.task))
        kernel.built = true
    end
    if not compile(code, "mutant") then return "no build" end
    local said = output_of(("%s %s/%s.so %s/mutant.so < %s/%s.spec 2>&1"):format(peer, work, kernel.name, work, work, kernel.name))
    return said:match("^(same)") or said:match("(differs: [^\n]*)\n$") or "unknown: " .. said
end

-- What a run that is resumed found before, by the number of the draw.
local known, notebook = {}, run.folder .. "/compared.txt"
local earlier = io.open(notebook)
for line in earlier and earlier:lines() or function() end do
    local draw, said = line:match("^(%d+) (.*)$")
    if draw then known[tonumber(draw)] = said end
end

local function recall(draw, kernel, code)
    if not known[draw] then
        known[draw] = compared(kernel, code)
        local handle = assert(io.open(notebook, "a"))
        handle:write(draw, " ", (known[draw]:gsub("\n", " ")), "\n")
        handle:close()
    end
    return known[draw]
end

local kernels, seen, queue = read_kernels(), {}, {}
local counts = { drawn = 0, built = 0, differ = 0, caught = 0, same = 0, refused_same = 0, unjudged = 0, unknown = 0 }
local kinds, verdicts, survivors = {}, {}, {}

local function settle(item, judgement)
    local kind = kinds[item.change.kind] or { differ = 0, caught = 0 }
    kinds[item.change.kind] = kind
    if item.peer:find("^unknown") then
        counts.unknown = counts.unknown + 1
        print(item.kernel.name .. ": " .. item.peer)
    elseif judgement.verdict == "INFRASTRUCTURE" then
        counts.unjudged = counts.unjudged + 1
    elseif item.peer == "same" then
        counts.same = counts.same + 1
        if not judgement.passed then
            counts.refused_same = counts.refused_same + 1
            print(("refused, though the same  %s\n  -%s\n  +%s\n  %s: %s"):format(item.kernel.name, item.change.before, item.change.after,
                judgement.verdict, judgement.reason))
        end
    else
        counts.differ, kind.differ = counts.differ + 1, kind.differ + 1
        verdicts[judgement.verdict] = (verdicts[judgement.verdict] or 0) + 1
        if not judgement.passed then
            counts.caught, kind.caught = counts.caught + 1, kind.caught + 1
        else
            survivors[#survivors + 1] = item
            print(("survived  %s (%s)\n  -%s\n  +%s\n  %s"):format(item.kernel.name, item.change.kind, item.change.before,
                item.change.after, item.peer))
        end
    end
    if counts.differ % 25 == 0 and counts.differ > 0 and item.peer ~= "same" then
        run:step("strength", { differ = counts.differ, caught = counts.caught })
    end
end

local function collect_one()
    local item = table.remove(queue, 1)
    local _, judgement = judge:collect()
    settle(item, judgement)
end

while counts.differ < wanted and counts.drawn < 20 * wanted do
    counts.drawn = counts.drawn + 1
    local kernel = rng:pick(kernels)
    local change = rng:pick(kernel.by_kind[rng:pick(kernel.kinds)])
    local said = not seen[change.code] and recall(counts.drawn, kernel, change.code) or "no build"
    seen[change.code] = true
    if said ~= "no build" then
        counts.built = counts.built + 1
        judge:submit(kernel.task, { code = change.code, language = "cpp" })
        queue[#queue + 1] = { kernel = kernel, change = change, peer = said }
        if #queue >= pending_most then collect_one() end
    end
end
while #queue > 0 do collect_one() end
os.execute("rm -r " .. work)

local share = counts.caught / math.max(1, counts.differ)
print(("\n%d kernels, %d mutants drawn, %d built; %d do the same as their original (%d of them refused), %d do not: %d caught, "
    .. "%.1f %%"):format(#kernels, counts.drawn, counts.built, counts.same, counts.refused_same, counts.differ, counts.caught, 100 * share))
print(("not judged, the machine was too busy: %d; not compared: %d"):format(counts.unjudged, counts.unknown))
for kind, n in pairs(kinds) do print(("  %-10s %4d of %4d caught"):format(kind, n.caught, n.differ)) end
for verdict, n in pairs(verdicts) do print(("  %-20s %4d"):format(verdict, n)) end
if counts.differ < wanted or share < least then os.exit(1) end
