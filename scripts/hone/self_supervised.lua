-- Stage 2: the policy learns from its own verified answers. Each round: answer every task, judge, keep what passed, take likelihood steps
-- on it. The reward is success alone, so the typical program may get simpler and slower; a share of the corpus is replayed against
-- forgetting.
local hone = require "hone"
local checks = require "hone.checks"
local exemplars = require "hone.exemplars"
local learning = require "hone.learning"
local report = require "hone.report"
local shaping = require "hone.shaping"

-- Plain prompts and prompts with exemplars, one of each a task.
local function prompts(run, o, round)
    local list = {}
    for _, with in ipairs(o.exemplars == "none" and { false } or { false, true }) do
        for _, task in ipairs(o.suite) do
            local name = ("self_supervised/%d/%s/%s"):format(round, with and "exemplars" or "plain", task.name)
            local shown = {}
            if with then shown = o.draw(o.archive, task, run:rng(name)) end
            list[#list + 1] = { task = task, exemplars = shown, messages = run:write(o.prompt, task, shown, name, o.judge) }
        end
    end
    return list
end

-- Verified answers as sequences, with their multiplicity up to `cap` for the same text to the same prompt; the success rate of those that
-- could be judged (nil: none), how many could not, how many were cut, and by group and member 1 for the answers that are learnt from.
local function own_answers(groups, cap)
    local sequences, learnt, passed, total, lost, cut = {}, {}, 0, 0, 0, 0
    for g, group in ipairs(groups) do
        local count = {}
        learnt[g] = {}
        for i, member in ipairs(group.members) do
            if member.judgement.scorable then total = total + 1 else lost = lost + 1 end
            if report.was_cut(member) then cut = cut + 1 end
            local hash = member.judgement.passed and member.candidate.hash
            if hash then
                passed = passed + 1
                count[hash] = (count[hash] or 0) + 1
                if count[hash] <= cap then sequences[#sequences + 1], learnt[g][i] = learning.own(member), 1 end
            end
        end
    end
    return sequences, total > 0 and passed / total or nil, lost > 0 and lost or nil, cut > 0 and cut or nil, learnt
end

-- The same as rewards: 1 for an answer that passed, 0 for another; what is beyond `cap` loses its 1.
local function record(run, groups, learnt)
    for g, group in ipairs(groups) do
        local raw = {}
        for i, member in ipairs(group.members) do
            raw[i] = member.judgement.scorable and (member.judgement.passed and 1 or 0)
            learnt[g][i] = learnt[g][i] or raw[i] and 0
        end
        shaping.note(group, "passed", raw)
        shaping.note(group, "cap", learnt[g])
    end
    shaping.record(run, groups, learnt)
end

local function replay(run, o, count, rng, round)
    local sequences, items, talks = {}, o.corpus and learning.items(o.corpus) or {}, o.corpus and learning.conversations(o.corpus) or {}
    for i = 1, #items + #talks > 0 and count or 0 do
        local at = rng:below(#items + #talks) + 1
        local item = items[at]
        if item then
            local messages = run:write(o.prompt, item.task, {}, ("self_supervised/replay/%d/%d"):format(round, i), item.judge or o.judge)
            sequences[i] = learning.sequence(o.policy, messages, learning.answer(messages, item))
        else
            sequences[i] = learning.conversation(o.policy, talks[at - #items])
        end
    end
    return sequences
end

return function(run, given)
    local o = learning.options(run, given, {
        policy = hone.required, prompt = learning.prompt, suite = hone.required, judge = hone.required, corpus = hone.optional,
        rounds = 3, group = 12, temperature = 1.0, max_tokens = learning.max_tokens, exemplars = "bucket", archive = hone.optional, cap = 4, replay = 0.3,
        epochs = 2, batch = 16, lr = learning.by_policy { compact = 4e-4, chat = 5e-6 }, warm_up = 5, weight_decay = 0.05, max_grad_norm = 1.0,
        train = "auto", stage = "self-supervised",
    }, "run:self_supervised")
    checks.own_archive(run, o.archive, "run:self_supervised", 2)
    if given.replay and given.replay > 0 and not o.corpus then
        error("run:self_supervised: option \"replay\" has no effect without a corpus; give corpus = ..., or leave it out", 2)
    end
    if not learning.possible(run, o.policy, o.train, o.stage) then return end
    local rng = run:rng(o.stage)
    o.draw, o.rng, o.archive = exemplars.strategy(o.exemplars), rng, o.archive or run.archive
    local updates = 0
    for round = 1, o.rounds do
        local groups = run:rollout {
            policy = o.policy, judge = o.judge, prompts = prompts(run, o, round), group = o.group, temperature = o.temperature,
            max_tokens = o.max_tokens, stage = o.stage, step = round,
        }
        local own, success, lost, cut, learnt = own_answers(groups, o.cap)
        if o.archive.add then o.archive:add(groups) end
        record(run, groups, learnt)
        run:step(o.stage, { round = round, of = o.rounds, success = success, lost = lost, cut = cut, learnt_from = #own })
        if #own > 0 then
            local again = replay(run, o, math.floor(o.replay * #own), rng, round)
            local done = learning.likelihood(run, o.policy, function()
                local all = {}
                for _, s in ipairs(own) do all[#all + 1] = s end
                for _, s in ipairs(again) do all[#all + 1] = s end
                return all
            end, o)
            updates = updates + done.updates
        end
    end
    return { updates = updates }
end
