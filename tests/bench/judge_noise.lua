-- How far judgements of one and the same program scatter, and how often their 95 % interval holds the value of long measurements. For each
-- task some programs of the template teacher; each is judged `times` times quickly, as the stages do, and three times at length.
--
--   hone run tests/bench/judge_noise.lua [--set tasks=5] [--set seconds=0.03]
local hone = require "hone"
local programs, times = hone.settings("programs", 3), hone.settings("times", 16)
local limit, seconds, precision = hone.settings("tasks", 0), hone.settings("seconds", 0.03), hone.settings("precision", 0.1)

local run = hone.run { name = "judge-noise" }
local parts = { verifier = run:verifier("cpp"), timer = run:timer("wall"), reference = run:reference("torch"), refresh = 1 }
local function judge(options)
    for key, value in pairs(parts) do options[key] = value end
    return run:judge(options)
end
local quick, long = judge { seconds = seconds, precision = precision }, judge {}
local suite = run:suite("cpu-basics", { only = require "core_tasks", limit = limit })
local corpus = run:collect { teacher = run:policy("template"), suite = suite, judge = quick, trials = 3 * programs, keep = programs }

local function measure(by, item, n)
    local list = {}
    for _ = 1, n do
        by:submit(item.task, { code = item.code, language = item.language })
        local _, judgement = by:collect()
        if judgement.passed then list[#list + 1] = judgement end
    end
    return list
end

local function estimates(judgements)
    local list = {}
    for i, j in ipairs(judgements) do list[i] = j.speedup.estimate end
    table.sort(list)
    return list
end

print(("%-16s %9s %7s %8s %8s %8s %8s %8s"):format("task", "us", "long", "low", "middle", "high", "held", "pairs"))
local held, total = 0, 0
for _, item in ipairs(corpus.items) do
    local truths, quickly = estimates(measure(long, item, 3)), measure(quick, item, times)
    if #truths == 3 and #quickly > 0 then
        local truth, list, within, pairs_taken = truths[2], estimates(quickly), 0, 0
        for _, j in ipairs(quickly) do
            if j.speedup.lower <= truth and truth <= j.speedup.upper then within = within + 1 end
            pairs_taken = pairs_taken + j.pairs / #quickly
        end
        held, total = held + within, total + #quickly
        print(("%-16s %9.1f %6.2fx %7.2fx %7.2fx %7.2fx %4d/%-3d %8.0f"):format(item.task.name, quickly[1].seconds.candidate * 1e6,
            math.exp(truth), math.exp(list[1]), math.exp(list[#list // 2 + 1]), math.exp(list[#list]), within, #quickly, pairs_taken))
    end
end
print(("intervals that hold the long measurement: %d of %d"):format(held, total))
