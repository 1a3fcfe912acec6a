-- What verifying costs, and whether it refuses programs that hold no planted mistake: template programs of every task of a suite.
--
--   hone run tests/bench/template_programs.lua [--set programs=4] [--set suite=cpu-basics] [--set only=softmax] [--set role=held-out]
local hone = require "hone"
local programs, name, only = hone.settings("programs", 4), hone.settings("suite", "cpu-basics"), hone.settings("only", "")
local role = hone.settings("role", "train")

local run = hone.run { name = "template-programs", dir = hone.settings("dir", "runs/template-programs") }
local judge = run:judge { verifier = run:verifier("cpp"), timer = run:timer("wall"), reference = run:reference("torch"), seconds = 0.02,
    precision = 0.5, pairs = 8 }
local suite = run:suite(name, { only = only ~= "" and { only } or nil, role = role })

-- emit.mistake lists "none" first: such a pick is always answered with it
local function honest(rng)
    return {
        pick = function(_, list, weights)
            if list[1] == "none" then return "none", 1 end
            return rng:pick(list, weights)
        end,
        below = function(_, n) return rng:below(n) end,
    }
end

local function milliseconds(list)
    local sum = 0
    for _, seconds in ipairs(list) do sum = sum + seconds end
    return 1e3 * sum / math.max(1, #list)
end

local all, refused, judged = {}, 0, 0

-- Judges programs of a task; returns the seconds that verifying took and what was refused.
local function examine(task)
    local spent, texts, verdicts = {}, {}, ""
    for i = 1, programs do
        local code = task:template(honest(run:rng(task.name .. i)))
        texts[judge:submit(task, { language = "cpp", code = code })] = code
    end
    for _ = 1, programs do
        local ticket, judgement = judge:collect()
        judged = judged + 1
        if judgement.passed or judgement.verdict == "INFRASTRUCTURE" then -- too busy to time, long after it was verified
            spent[#spent + 1], all[#all + 1] = judgement.wall.verify, judgement.wall.verify
        else
            refused = refused + 1
            verdicts = verdicts .. "\n  " .. judgement.verdict .. ": " .. judgement.reason .. "\n" .. texts[ticket]
        end
    end
    return spent, verdicts
end

local function forget_pending()
    repeat
        local fine, ticket = pcall(judge.collect, judge)
    until fine and not ticket
end

for _, task in ipairs(suite) do
    local fine, spent, verdicts = pcall(examine, task)
    if fine then print(("%-28s verify %7.1f ms%s"):format(task.name, milliseconds(spent), verdicts))
    else -- too short to be timed
        print(("%-28s %s"):format(task.name, spent))
        forget_pending()
    end
end
print(("%d of %d programs refused; verifying one takes %.1f ms on average"):format(refused, judged, milliseconds(all)))
