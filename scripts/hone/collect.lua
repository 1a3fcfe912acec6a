-- Stage 1a: teachers write the corpus, all at the same time that work elsewhere. At most `trials` answers for each teacher and task, until
-- `keep` of them passed (CUDA-L1: six teachers, 20 and 2).
-- An answer that is lost is no trial: it is asked for again, in at most twice as many rounds as there are trials.
local hone = require "hone"
local checks = require "hone.checks"
local learning = require "hone.learning"
local report = require "hone.report"

-- Adds a teacher to those that are asked together: one rollout has one limit of tokens. state: of each task, how often it was tried and passed.
local function add(lists, suite, policy, own)
    local teacher = { policy = policy, prompt = own.prompt, state = {} }
    for i = 1, #suite do teacher.state[i] = { trials = 0, passed = 0 } end
    for _, list in ipairs(lists) do
        if list.max_tokens == own.max_tokens then return table.insert(list, teacher) end
    end
    lists[#lists + 1] = { max_tokens = own.max_tokens, teacher }
end

-- One prompt for each answer that is still wanted, so that no teacher is asked for more than its trials.
local function prompts(run, o, teachers)
    local list = {}
    for _, teacher in ipairs(teachers) do
        for i, task in ipairs(o.suite) do
            local s = teacher.state[i]
            local messages = run:write(teacher.prompt, task, {}, "collect/" .. task.name, o.judge)
            for _ = 1, math.min(o.trials - s.trials, o.keep - s.passed) do
                list[#list + 1] = { task = task, messages = messages, policy = teacher.policy, state = s }
            end
        end
    end
    return list
end

-- What no two items of a corpus share. (Items of one's own need no hash.)
local function identity(item)
    return table.concat({ item.task.name, item.language or "", item.code, item.plan or "" }, "\0")
end

-- Those that a corpus holds already.
local function known(corpus)
    local seen = {}
    for _, item in ipairs(corpus.items) do seen[identity(item)] = true end
    return seen
end

-- An item remembers its judge, who briefs again where the item is learnt from.
local function keep(corpus, seen, sample, judge)
    if not sample.passed or seen[identity(sample)] then return end
    seen[identity(sample)], sample.judge = true, judge
    corpus.items[#corpus.items + 1] = sample
end

-- What a round brought: each answer counts as a trial of its teacher, unless it is lost.
local function take(found, groups, asked, judge)
    for i, group in ipairs(groups) do
        local s, member = asked[i].state, group.members[1]
        local sample = report.sample(group.task, member)
        if sample then
            s.trials, sample.teacher = s.trials + 1, asked[i].policy.name
            if sample.passed then s.passed = s.passed + 1 end
            found.samples[#found.samples + 1] = sample
            keep(found.corpus, found.seen, sample, judge)
        else
            found.losses[#found.losses + 1] = member.judgement.reason
        end
    end
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
    local hole = checks.list(teachers)
    if hole then error("run:collect: option \"teacher\": " .. hole, 2) end
    if #teachers == 0 then error("run:collect: option \"teacher\": the list is empty; write teacher = run:policy(...), or a list of such", 2) end
    local corpus, samples, losses, lists, max_tokens = o.into or { items = {}, samples = {} }, {}, {}, {}, nil
    local found = { corpus = corpus, seen = known(corpus), samples = samples, losses = losses }
    for _, policy in ipairs(teachers) do
        checks.own_parts(run, { teacher = policy, judge = o.judge }, "run:collect", 2)
        add(lists, o.suite, policy, learning.options(run, { policy = policy, prompt = o.prompt, max_tokens = o.max_tokens }, {
            policy = hone.required, prompt = learning.prompt, max_tokens = learning.max_tokens,
        }, "run:collect"))
    end
    for _, list in ipairs(lists) do
        max_tokens = list.max_tokens
        for round = 1, 2 * o.trials do
            local asked = prompts(run, o, list)
            if #asked == 0 then break end
            local groups = run:rollout {
                judge = o.judge, prompts = asked, temperature = o.temperature, max_tokens = max_tokens, stage = o.stage, step = round,
            }
            take(found, groups, asked, o.judge)
        end
    end
    for _, sample in ipairs(samples) do corpus.samples[#corpus.samples + 1] = sample end
    local row = report.row(samples, o.suite, nil, nil, losses, max_tokens)
    run:step(o.stage, { trials = #samples, corpus = #corpus.items, lost = #losses > 0 and #losses or nil, cut = row.cut })
    if row.note then run:step(o.stage, { note = row.note }) end
    if o.row then run:record(o.row, row) end
    return corpus
end
