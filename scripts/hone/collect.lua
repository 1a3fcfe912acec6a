-- Stage 1a: teachers write the corpus. At most `trials` answers for each teacher and task, until `keep` of them passed (CUDA-L1: 20 and 2).
-- An answer that is lost is no trial: it is asked for again, in at most twice as many rounds as there are trials.
local hone = require "hone"
local checks = require "hone.checks"
local learning = require "hone.learning"
local report = require "hone.report"

-- One prompt for each answer that is still wanted, so that no teacher is asked for more than its trials.
local function prompts(run, o, prompt, state)
    local list = {}
    for i, task in ipairs(o.suite) do
        local s = state[i]
        local messages = run:write(prompt, task, {}, "collect/" .. task.name, o.judge)
        for _ = 1, math.min(o.trials - s.trials, o.keep - s.passed) do
            list[#list + 1] = { task = task, messages = messages, state = s }
        end
    end
    return list
end

-- An item remembers its judge, who briefs again where the item is learnt from.
local function keep(corpus, seen, sample, judge)
    local key = sample.passed and sample.task.name .. "/" .. sample.hash
    if not key or seen[key] then return end
    seen[key], sample.judge = true, judge
    corpus.items[#corpus.items + 1] = sample
end

-- Returns {items = verified programs, distinct within a task; samples = everything that was judged}. `into`: a corpus to extend.
return function(run, given)
    local defaults = {
        teacher = hone.required, suite = hone.required, judge = hone.required, prompt = hone.optional, into = hone.optional,
        trials = 20, keep = 2, temperature = 1.0, max_tokens = hone.optional, stage = "collect", row = hone.optional,
    }
    local o = hone.options(given, defaults, "run:collect", checks.limits_of(defaults))
    checks.values({ suite = o.suite, into = o.into }, "run:collect", 2)
    local teachers = type(o.teacher) == "table" and o.teacher or { o.teacher }
    if #teachers == 0 then error("run:collect: option \"teacher\": the list is empty; write teacher = run:policy(...), or a list of such", 2) end
    local corpus, seen, samples, losses, max_tokens = o.into or { items = {}, samples = {} }, {}, {}, {}, nil
    for _, teacher in ipairs(teachers) do
        local own = learning.options(run, { policy = teacher, prompt = o.prompt, max_tokens = o.max_tokens }, {
            policy = hone.required, prompt = learning.prompt, max_tokens = learning.max_tokens,
        }, "run:collect")
        local state = {}
        max_tokens = own.max_tokens
        for i = 1, #o.suite do state[i] = { trials = 0, passed = 0 } end
        for round = 1, 2 * o.trials do
            local list = prompts(run, o, own.prompt, state)
            if #list == 0 then break end
            local groups = run:rollout {
                policy = teacher, judge = o.judge, prompts = list, temperature = o.temperature, max_tokens = own.max_tokens, stage = o.stage,
                step = round,
            }
            for i, group in ipairs(groups) do
                local s, member = list[i].state, group.members[1]
                local sample = report.sample(group.task, member)
                if sample then
                    s.trials = s.trials + 1
                    samples[#samples + 1] = sample
                    if sample.passed then s.passed = s.passed + 1 end
                    keep(corpus, seen, sample, o.judge)
                else
                    losses[#losses + 1] = member.judgement.reason
                end
            end
        end
    end
    for _, sample in ipairs(samples) do corpus.samples[#corpus.samples + 1] = sample end
    local row = report.row(samples, o.suite, nil, nil, losses, max_tokens)
    run:step(o.stage, { trials = #samples, corpus = #corpus.items, lost = #losses > 0 and #losses or nil, cut = row.cut })
    if row.note then run:step(o.stage, { note = row.note }) end
    if o.row then run:record(o.row, row) end
    return corpus
end
