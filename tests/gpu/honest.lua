-- Every hand-written kernel of scripts/kernels/gpu-basics against its task on this machine's GPU: one table, and what the better kernel of each task
-- reaches, as geometric means by class. Exit status 1 if one is not passed.
--
--   hone run tests/gpu/honest.lua [--set only=softmax,axpy.good] [--set json=FILE] [--set precision=0.005] [--set seconds=5]
--       [--set compiled=FOLDER (packages of scripts/compile_references.py, or transcripts for it)]
local hone = require "hone"
local only, json = hone.settings("only", ""), hone.settings("json", "")
local suite, kernels = hone.settings("suite", "scripts/suites/gpu-basics"), hone.settings("kernels", "scripts/kernels/gpu-basics")
local precision, seconds = hone.settings("precision", 0.01), hone.settings("seconds", 2.0)
local compiled = hone.settings("compiled", "")
local deadline, pool = hone.settings("deadline", 90), hone.settings("pool_mb", 16000)

-- by the file that a task stands in
local classes = { "fused element-wise, norms", "reductions, scans", "matmul, convolution", "other" }
local class_of_file = { elementwise = 1, rows = 1, norms = 1, reductions = 2, losses = 2, matmul = 3, half = 3, fused = 3, windows = 3 }

local function read(path)
    local file <close> = io.open(path)
    return file and file:read("a")
end

local function listed(folder, extension)
    local names = {}
    local list <close> = assert(io.popen("ls '" .. folder .. "'"))
    for line in list:lines() do names[#names + 1] = line:match("^(.+)%." .. extension .. "$") end
    assert(#names > 0, folder .. ": holds no *." .. extension)
    return names
end

local wanted = {}
for name in only:gmatch("[^,]+") do wanted[#wanted + 1] = name end
local function is_wanted(task, solution)
    for _, name in ipairs(wanted) do
        if name == task or name == task .. "." .. solution then return true end
    end
    return #wanted == 0
end

-- {task, solution, file} of each kernel, in the order of their names
local function solutions()
    local found = {}
    for _, name in ipairs(listed(kernels, "cu")) do
        local task, solution = name:match("^([^.]+)%.(.+)$")
        assert(task, kernels .. "/" .. name .. ".cu: is not called TASK.NAME.cu")
        if is_wanted(task, solution) then found[#found + 1] = { task = task, solution = solution, path = kernels .. "/" .. name } end
    end
    assert(#found > 0, "only=" .. only .. ": no kernel of that name in " .. kernels)
    return found
end

local function class_by_source()
    local class = {}
    for _, name in ipairs(listed(suite, "lua")) do class[read(suite .. "/" .. name .. ".lua")] = class_of_file[name] or 4 end
    return class
end

local run = hone.run { name = "gpu-honest" }
local tasks, class = {}, class_by_source()
for _, task in ipairs(run:suite(suite)) do tasks[task.name] = task end

local function new_judge()
    return run:judge { verifier = run:verifier("cuda"), timer = run:timer("cuda-events"), reference = run:reference("torch", { compiled = compiled }),
        benches = 1, precision = precision, seconds = seconds, deadline = deadline, pool_mb = pool, pairs = 512 }
end

-- One broken task must not cost the table of all others: the next one gets a new judge. Where nothing at all can be judged, that is the end.
local judge, judged = new_judge(), 0
local function judgement(row)
    judge:submit(row.of, { code = read(row.path .. ".cu"), plan = read(row.path .. ".lua") or "", language = "cuda" })
    local fine, ticket, j = pcall(judge.collect, judge)
    if fine then
        judged = judged + 1
        return j
    end
    if judged == 0 then error(ticket, 0) end
    judge = new_judge()
    return { verdict = "REFUSED", passed = false, reason = tostring(ticket) }
end

local function fill(row, j)
    row.verdict, row.reason, row.judging_seconds = j.verdict, not j.passed and (j.reason or "") or nil, j.wall and j.wall.total or 0
    if not j.passed then return end
    row.us_prepack = j.seconds.prepack and 1e6 * j.seconds.prepack
    row.speedup, row.lower, row.upper = j.speedup.estimate, j.speedup.lower, j.speedup.upper or math.huge
    row.baseline, row.outcome = j.baseline_form or j.speedup.baseline, j.outcome
    for form, s in pairs(j.baseline_forms or {}) do row["us_" .. form:gsub(" ", "_")] = 1e6 * s end
    row.us, row.baseline_us, row.roofline = 1e6 * j.seconds.candidate, 1e6 * j.seconds.baseline, j.roofline_share
end

local function line(row)
    local text = ("%-22s %-10s %-20s"):format(row.task, row.solution, row.verdict)
    if row.reason then return text .. " " .. row.reason end
    return text .. ("%7.3f [%.3f, %.3f] %9.2f %9.2f %7s  %6.2f  %s"):format(row.speedup, row.lower, row.upper, row.us, row.baseline_us,
        row.roofline and ("%.0f %%"):format(100 * row.roofline) or "-", row.judging_seconds, row.baseline) ..
        (row.us_prepack and ("; prepacked in %.0f us, apart"):format(row.us_prepack) or "")
end

io.stdout:setvbuf("line") -- what was judged is told even if the time ends
print(("%-22s %-10s %-20s%7s %-16s %9s %9s %7s  %6s  %s"):format("task", "solution", "verdict", "speedup", "interval", "us", "ATen us", "roof",
    "judged", "baseline"))
local best, refused, rows = {}, 0, solutions()
for _, row in ipairs(rows) do
    row.of = assert(tasks[row.task], row.path .. ".cu: the suite has no task \"" .. row.task .. "\"")
    row.class = class[row.of.source]
    fill(row, judgement(row))
    print(line(row))
    if not row.speedup then refused = refused + 1
    elseif row.us_prepack then -- work outside of its time: not to be compared with all others
    elseif not best[row.task] or row.speedup > best[row.task].speedup then best[row.task] = row end
end

print("\nthe better kernel of each task, geometric mean of speedups")
for number, name in ipairs(classes) do
    local sum, n, least = 0, 0, nil
    for _, row in pairs(best) do
        if row.class == number then
            sum, n = sum + math.log(row.speedup), n + 1
            if not least or row.speedup < least.speedup then least = row end
        end
    end
    if n > 0 then
        print(("%-28s %.3f over %d tasks; least %.3f, %s.%s"):format(name, math.exp(sum / n), n, least.speedup, least.task, least.solution))
    end
end
print(("%d kernels, %d not passed"):format(#rows, refused))

local function encoded(value)
    if type(value) == "number" then return ("%.9g"):format(value) end
    return '"' .. value:gsub('[%c"\\]', function(c) return ("\\u%04x"):format(c:byte()) end) .. '"'
end

if json ~= "" then
    local documents = {}
    for i, row in ipairs(rows) do
        local fields = {}
        for key, value in pairs(row) do
            if key ~= "of" then fields[#fields + 1] = encoded(key) .. ": " .. encoded(value) end
        end
        documents[i] = "  {" .. table.concat(fields, ", ") .. "}"
    end
    local file <close> = assert(io.open(json, "w"))
    file:write("[\n", table.concat(documents, ",\n"), "\n]\n")
end
os.exit(refused == 0)
