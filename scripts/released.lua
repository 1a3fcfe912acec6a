-- Programs that others have released, judged: against each form of the reference, against the module that they replace (in Python as they are), and
-- by the paper's own protocol. `hone export cuda-l1 RUN` then prints the paper's tables.
--
--   hone import cuda-l1 optimized_cuda_code/h100.json --out FOLDER
--   hone run scripts/released.lua --set folder=FOLDER [--set only=level1_19,...] [--set level=1] [--set compiled=FOLDER (docs/judge.md, Baselines)]
--       [--set python=PROGRAM] [--set verifier=python-cpu] [--set module=false] [--set paper=false] [--set precision=0.02] [--set seconds=1]
--       [--set deadline=60] [--set pool_mb=16000]
-- It needs an NVIDIA GPU. With verifier=python-cpu programs run on this machine's cores: those with CUDA or Triton then fail.
local hone = require "hone"

local folder, only, level = hone.settings("folder", ""), hone.settings("only", ""), hone.settings("level", 0)
local verifier, python, compiled = hone.settings("verifier", "python"), hone.settings("python", "python3"), hone.settings("compiled", "")
local with_module, with_paper = hone.settings("module", true), hone.settings("paper", true)
local precision, seconds = hone.settings("precision", 0.02), hone.settings("seconds", 1.0)
local deadline, pool = hone.settings("deadline", 60.0), hone.settings("pool_mb", 16000)
assert(folder ~= "", "--set folder=FOLDER: the suite that `hone import cuda-l1` has written")

local function read(path)
    local file <close> = io.open(path)
    return file and file:read("a")
end

local function is_there(path)
    local file <close> = io.open(path)
    return file ~= nil
end
assert(verifier ~= "python" or is_there("/dev/nvidiactl") or is_there("/dev/dxg"), "no NVIDIA GPU is here (no /dev/nvidiactl), and released "
    .. "programs are for one; run this script on a machine with a GPU, or on this one's cores: --set verifier=python-cpu (programs with CUDA or Triton "
    .. "then fail)")

local wanted = {}
for name in only:gmatch("[^,]+") do wanted[name] = true end
local function is_wanted(name) return (only == "" or wanted[name]) and (level == 0 or name:find("^level" .. level .. "_") ~= nil) end

local run = hone.run { name = "released" }
local programs, tasks = {}, {}
for _, task in ipairs(run:suite(folder)) do
    local program = is_wanted(task.name) and read(folder .. "/programs/" .. task.name .. ".py")
    if program then programs[task.name], tasks[#tasks + 1] = program, task end
end
for name in pairs(wanted) do
    assert(programs[name], ("--set only=%s: %s has no task of this name with a program in programs/"):format(name, folder))
end
assert(#tasks > 0, folder .. ": holds no task " .. (level > 0 and "of level " .. level .. " " or "") .. "that has a program in programs/")

local part = { remake = true, python = python } -- their constructors derive things from weights
local function judge_of(further)
    local options = {
        verifier = run:verifier(verifier, part),
        timer = run:timer(verifier == "python" and "cuda-probe" or "wall"), reference = run:reference("torch", { compiled = compiled }),
        benches = 1, precision = precision, seconds = seconds, deadline = deadline, pool_mb = pool, pairs = 512,
    }
    for key, value in pairs(further) do options[key] = value end
    return run:judge(options)
end

local answers = run:policy(function(request) return "```python\n" .. programs[request.task.name] .. "\n```" end)
local function rollout(judge, stage)
    local prompts, of = {}, {}
    for i, task in ipairs(tasks) do prompts[i] = { task = task, messages = "a released program" } end
    for _, group in ipairs(run:rollout { policy = answers, judge = judge, prompts = prompts, stage = stage }) do
        of[group.task.name] = group.members[1].judgement
    end
    return of
end

-- The module as a program: it pays for Python as the programs do.
local function against_module(judge, task)
    judge:submit(task, { code = programs[task.name], language = "python" }, { against = { code = task.device.module .. "\nModelNew = Model\n", language = "python" } })
    local fine, broken, judgement = pcall(judge.collect, judge)
    if not fine then print(("%-12s not judged against its module: %s"):format(task.name, broken)) end
    return fine and judgement.passed and judgement.speedup or nil
end

local judge = judge_of {}
local released = rollout(judge, "released")
local paper = with_paper and rollout(judge_of { protocol = "cuda-l1" }, "released, the paper's protocol") or {}
local of_module = {}
if with_module then
    for _, task in ipairs(tasks) do
        if released[task.name].passed then of_module[task.name] = against_module(judge, task) end
    end
end

-- Logarithms of the ratios of all that passed, by what they are compared with; and of those whose fastest form takes 100 us and more.
local logs, of_long = {}, {}
local function add(name, ratio, is_long)
    if not ratio or ratio <= 0 then return end
    logs[name], of_long[name] = logs[name] or {}, of_long[name] or {}
    table.insert(logs[name], math.log(ratio))
    if is_long then table.insert(of_long[name], math.log(ratio)) end
end

-- "0.34x (0.23 to 0.51), 32": Student's t over programs, 95 %
local function mean_text(list)
    local sum = 0
    for _, log in ipairs(list) do sum = sum + log end
    if #list < 2 then return #list == 1 and ("%.2fx, 1"):format(math.exp(sum)) or "-" end
    local low, high = hone.interval(list)
    return ("%.2fx (%.2f to %.2f), %d"):format(math.exp(sum / #list), math.exp(low), math.exp(high), #list)
end

print(("%-12s %-20s %18s %9s  %s"):format("task", "verdict", "to the best form", "us", "us of each form; to the module in Python; by the paper's protocol"))
local passed = 0
for _, task in ipairs(tasks) do
    local j, p, m = released[task.name], paper[task.name], of_module[task.name]
    local line = ("%-12s %-20s"):format(task.name, j.verdict)
    if j.passed then
        passed = passed + 1
        line = line .. (" %5.2f (%.2f-%.2f) %9.1f "):format(j.speedup.estimate, j.speedup.lower, j.speedup.upper or math.huge, 1e6 * j.seconds.candidate)
        local fastest = math.huge
        for _, time in pairs(j.baseline_forms or {}) do fastest = math.min(fastest, time) end
        local is_long = fastest >= 1e-4 and fastest < math.huge
        add("best form", j.speedup.estimate, is_long)
        for form, time in pairs(j.baseline_forms or {}) do
            line = line .. (" %s %.1f"):format(form, 1e6 * time)
            add(form, time / j.seconds.candidate, is_long)
        end
        if m then
            line = line .. (";  module %.2f (%.2f-%.2f)"):format(m.estimate, m.lower, m.upper or math.huge)
            add("module in Python", m.estimate, is_long)
        end
        if p and p.passed then
            line = line .. (";  paper %.2f"):format(p.speedup.estimate)
            add("the paper's protocol", p.speedup.estimate, is_long)
        end
    else
        line = line .. " " .. (j.reason or "")
    end
    print(line)
end
print(("\n%d of %d programs are right. Geometric means of their speed-ups; of those whose fastest form takes 100 us and more:"):format(passed, #tasks))
local names = {}
for name in pairs(logs) do names[#names + 1] = name end
table.sort(names)
for _, name in ipairs(names) do print(("%-24s %-28s %s"):format(name, mean_text(logs[name]), mean_text(of_long[name]))) end

-- What judging one cost, in the middle; what has C++ or CUDA compiled apart from the rest.
local costs = { compiled = {}, others = {} }
for _, task in ipairs(tasks) do
    local wall, kind = released[task.name].wall, programs[task.name]:find("load_inline", 1, true) and "compiled" or "others"
    if wall then table.insert(costs[kind], wall.total) end
end
for kind, seconds in pairs(costs) do
    table.sort(seconds)
    local middle = #seconds > 0 and (seconds[(#seconds + 1) // 2] + seconds[#seconds // 2 + 1]) / 2
    if middle then print(("judging one, %-9s median %.2f s of %d"):format(kind .. ":", middle, #seconds)) end
end
