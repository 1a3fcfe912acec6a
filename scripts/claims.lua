-- The experiment behind docs/results/training.md, one seed a run: what each stage brings, and what it does not. Long; it resumes where it was
-- interrupted. Every evaluation verifies and times anew, on inputs that nobody has seen: a stored timing that was once rewarded is luckier
-- than the program. The results so far are in claims.tsv in the run's folder; claims_table.lua joins the seeds. part: "learning",
-- "random search" or "both".
--
--   for s in 1 2 3; do hone run scripts/claims.lua --name claims-$s --set seed=$s; done
--   hone run scripts/claims_table.lua --set files=runs/claims-1/claims.tsv,runs/claims-2/claims.tsv,runs/claims-3/claims.tsv
local hone = require "hone"
local learning = require "hone.learning"
local report = require "hone.report"
local shaping = require "hone.shaping"

local seed, steps, group = hone.settings("seed", 1), hone.settings("steps", 36), hone.settings("group", 8)
local answers, limit = hone.settings("answers", 16), hone.settings("tasks", 0)
local trials, keep = hone.settings("trials", 32), hone.settings("keep", 16)
local epochs, rounds = hone.settings("epochs", 32), hone.settings("rounds", 3)
local own, regulariser = hone.settings("own", 12), hone.settings("regulariser", 0.2)
local part = hone.settings("part", "both")

local run = hone.run { name = "claims-" .. seed, seed = seed }
local policy, prompt = run:policy("torch-lm", { model = "tiny", vocabulary = 768 }), run:prompt("compact", { exemplars = 2 })
local verifier, timer, reference = run:verifier("cpp"), run:timer("wall"), run:reference("torch")
local judge = run:judge { verifier = verifier, timer = timer, reference = reference, seconds = 0.03, precision = 0.1 }
local fresh = run:judge { verifier = verifier, timer = timer, reference = reference, seconds = 0.03, precision = 0.1, refresh = 1 }
local again = run:judge { verifier = verifier, timer = timer, reference = reference, refresh = 1 }
local suite = run:suite("cpu-basics", { only = require "core_tasks", limit = limit })
local auxiliary, held_out = run:suite("cpu-basics", { role = "auxiliary" }), run:suite("cpu-basics", { role = "held-out" })
local teacher = run:policy("template")

local corpus = run:collect { teacher = teacher, suite = suite, judge = judge, trials = trials, keep = keep, row = "template teacher" }
run:collect { teacher = teacher, suite = auxiliary, judge = judge, trials = 3, keep = 2, into = corpus }

local lines = { "seed\tcondition\ttask\trole\tsuccess\ttypical\tfallback\tbest\tdistinct\tnovel" }
local known = {}
for _, item in ipairs(learning.items(corpus)) do known[item.artifact] = true end

local function number(x) return x and ("%.6g"):format(x) or "-" end

-- One line a task; speed-ups are natural logarithms, "-" where nothing was verified.
local function write()
    local file = assert(io.open(run.folder .. "/claims.tsv", "w"))
    file:write(table.concat(lines, "\n"), "\n")
    file:close()
end

local function note(condition, samples, tasks, best)
    local novel, passed = {}, {}
    for _, sample in ipairs(samples) do
        local name = sample.task.name
        if sample.passed then
            passed[name] = (passed[name] or 0) + 1
            novel[name] = (novel[name] or 0) + (known[sample.artifact] and 0 or 1)
        end
    end
    for _, group_of in ipairs(report.by_task(samples, tasks)) do
        local task = group_of.task
        lines[#lines + 1] = table.concat({
            seed, condition, task.name, task.role, number(group_of.success), number(group_of.typical), number(group_of.fallback),
            number(best and best[task.name]), number(group_of.distinct), number(passed[task.name] and novel[task.name] / passed[task.name]),
        }, "\t")
    end
    write()
end

local function evaluate(condition, tasks, exemplars)
    local _, samples, best = run:evaluate {
        policy = policy, prompt = prompt, suite = tasks, judge = fresh, again = again, row = condition, group = answers, corpus = corpus,
        exemplars = exemplars or "none",
    }
    note(condition, samples, tasks, best)
end

-- The best program found for each task. Only times taken anew count.
local function note_best(condition, samples)
    local best = {}
    for _, group_of in ipairs(report.by_task(samples, suite)) do best[#best + 1] = group_of.best end
    note(condition, best, suite, report.measured_again(again, best, suite))
end

local function folder(name) return run.folder .. "/" .. name end

-- An archive that starts with what was known before RL and learns only what its own run finds: the run's would hand programs from one
-- condition to the next. shuffled: every task's speed-ups are dealt out anew, so that exemplars and likelihood items carry no news about
-- speed, and so are a group's rewards: "speeds", among its verified answers, which leaves the news of what is correct; "scores", among all.
local before = {}

local function snapshot()
    for _, tasks in ipairs { suite, auxiliary } do
        for _, task in ipairs(tasks) do before[task.name] = run.archive:find { task = task, order = "age" } end
    end
end

local function view(shuffled)
    local self, own, seen = {}, {}, {}
    local rng = run:rng "shuffled"

    function self:find(query)
        local list, scores = {}, {}
        for _, source in ipairs { before[query.task.name], own[query.task.name] or {} } do
            for _, e in ipairs(source) do
                list[#list + 1] = { task = e.task, hash = e.hash, code = e.code, plan = e.plan, language = e.language, log_speedup = e.log_speedup }
                scores[#scores + 1] = e.log_speedup
            end
        end
        if shuffled then
            for i, score in ipairs(run:rng("shuffled/" .. query.task.name):shuffle(scores)) do list[i].log_speedup = score end
        end
        if query.order ~= "age" then table.sort(list, function(x, y) return x.log_speedup.lower > y.log_speedup.lower end) end
        return list
    end

    local published = shaping.published(run)
    function self:add(groups)
        for _, group_of in ipairs(groups) do
            local name = group_of.task.name
            own[name] = own[name] or {}
            for _, member in ipairs(group_of.members) do
                local c = member.candidate
                if member.judgement.passed and not seen[name .. c.hash] then
                    local e = { task = name, hash = c.hash, code = c.code, plan = c.plan, language = c.language, log_speedup = member.judgement.log_speedup }
                    table.insert(own[name], e)
                    seen[name .. c.hash] = true
                end
            end
        end
    end

    function self.shape(group_of)
        local rewards = shaping.rewards(published, group_of, run)
        local places, values = {}, {}
        for i, member in ipairs(group_of.members) do
            if rewards[i] and (member.judgement.passed or shuffled == "scores") then
                places[#places + 1], values[#values + 1] = i, rewards[i]
            end
        end
        if shuffled then
            for k, value in ipairs(rng:shuffle(values)) do rewards[places[k]] = value end
        end
        return rewards
    end

    return self
end

local function rl(condition, exemplars, shuffled)
    policy:load(folder "self-supervised")
    local archive = view(shuffled)
    local found = run:contrastive_rl {
        policy = policy, prompt = prompt, suite = suite, auxiliary = auxiliary, judge = judge, steps = steps, group = group,
        exemplars = exemplars, exemplar_share = 0.5, archive = archive, shape = archive.shape, regulariser = regulariser,
        stage = condition,
    }
    evaluate(condition, suite)
    evaluate(condition .. ", held out", held_out)
    local best = {}
    for _, sample in pairs(found.best) do best[#best + 1] = sample end
    note_best(condition .. ", best found", best)
end

local function learning_part()
    run:sft { policy = policy, prompt = prompt, corpus = corpus, epochs = epochs, balance = keep }
    policy:save(folder "sft")
    evaluate("SFT", suite)
    evaluate("SFT, exemplars shown", suite, "bucket")
    evaluate("SFT, held out", held_out)

    local learnt = run:self_supervised {
        policy = policy, prompt = prompt, suite = suite, judge = judge, corpus = corpus, rounds = rounds, group = own,
    }
    policy:save(folder "self-supervised")
    evaluate("self-supervised", suite)
    evaluate("self-supervised, held out", held_out)
    snapshot()

    policy:load(folder "sft") -- as many updates on the corpus instead of on its own answers
    run:sft {
        policy = policy, prompt = prompt, corpus = corpus, updates = learnt.updates, lr = 4e-4, warm_up = 5, adapt = false,
        stage = "more-sft",
    }
    evaluate("more SFT", suite)

    rl("all three", "bucket", false)
    rl("RL with shuffled scores", "bucket", "scores")
    rl("RL with shuffled speeds", "bucket", "speeds")
    rl("RL without exemplars", "none", false)
end

-- Of the templates, for each task as many as the three stages judged answers.
local function random_part()
    local draws = trials + rounds * 2 * own + steps * group
    local drawn = run:collect { teacher = teacher, suite = suite, judge = judge, trials = draws, keep = draws, stage = "random-search" }
    note_best("random search, best found", drawn.samples)
end

if part ~= "random search" then learning_part() end
if part ~= "learning" then random_part() end
print(run:report())
print("written: " .. folder "claims.tsv")
