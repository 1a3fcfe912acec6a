-- Programs of the template teacher, judged on this machine's GPU: of each task the share that passes, median and best speedup, and what was
-- wrong with the others. Without planted mistakes all should pass but those whose arithmetic is too short for the task's tolerance.
--
--   hone run tests/gpu/templates.lua [--set programs=12] [--set only=softmax,axpy] [--set mistakes=true] [--set show=true]
local hone = require "hone"
local programs, only, mistakes = hone.settings("programs", 12), hone.settings("only", ""), hone.settings("mistakes", false)
local show, suite_name, pool = hone.settings("show", false), hone.settings("suite", "gpu-basics"), hone.settings("pool_mb", 16000)

local run = hone.run { name = "gpu-templates", seed = hone.settings("seed", 1) }
local judge = run:judge { verifier = run:verifier("cuda"), timer = run:timer("cuda-events"), reference = run:reference("torch"), benches = 1,
    seconds = 0.05, precision = 0.05, pool_mb = pool, deadline = 20 }

local wanted = {}
for name in only:gmatch("[^,]+") do wanted[#wanted + 1] = name end

-- templates.emit lists "none" first among mistakes: such a pick is always answered with it
local function draws(rng)
    if mistakes then return rng end
    return { pick = function(_, list, weights)
        if list[1] == "none" then return "none", 1 end
        return rng:pick(list, weights)
    end }
end

-- As an answer without fences is taken apart.
local function candidate(text)
    local code, plan = text:match("^(.-\n)```lua\n(.*)$")
    return { language = "cuda", code = code or text, plan = plan }
end

local function submit(task)
    local list = {}
    for i = 1, programs do
        local text = task:template(draws(run:rng(task.name .. "/" .. i)))
        list[i] = { text = text, ticket = judge:submit(task, candidate(text)) }
    end
    return list
end

local function middle(sorted) return (sorted[(#sorted + 1) // 2] + sorted[#sorted // 2 + 1]) / 2 end

local function line(task, list)
    local speedups, faults, shown, seconds = {}, {}, "", 0
    for _, one in ipairs(list) do
        local _, j = judge:collect()
        seconds = seconds + (j.wall and j.wall.total or 0)
        if j.passed then speedups[#speedups + 1] = j.speedup.estimate
        else
            faults[j.verdict] = (faults[j.verdict] or 0) + 1
            if show then shown = shown .. "\n  " .. j.verdict .. ": " .. (j.reason or "") .. "\n" .. one.text end
        end
    end
    table.sort(speedups)
    local words = {}
    for verdict, count in pairs(faults) do words[#words + 1] = count .. " " .. verdict end
    local numbers = #speedups > 0 and ("%8.2f %8.2f"):format(middle(speedups), speedups[#speedups]) or "       -        -"
    local others = table.concat(words, ", ") .. shown
    return ("%-22s %3d/%-3d %s  %5.2f  %s"):format(task.name, #speedups, #list, numbers, seconds / #list, others), #speedups
end

local tasks, passed, hopeless = {}, 0, {}
for _, task in ipairs(run:suite(suite_name, { only = #wanted > 0 and wanted or nil })) do
    if task.has_template then tasks[#tasks + 1] = task end
end
print(("%-22s %7s %8s %8s  %5s  %s"):format("task", "passed", "median", "best", "s", "others"))
for _, task in ipairs(tasks) do
    local text, count = line(task, submit(task))
    print(text)
    passed = passed + count
    if count == 0 then hopeless[#hopeless + 1] = task.name end
end
print(("%d of %d programs of %d tasks passed"):format(passed, programs * #tasks, #tasks))
if #hopeless > 0 then error("no program passed of: " .. table.concat(hopeless, ", ")) end
