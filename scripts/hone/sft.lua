-- Stage 1b: supervised fine-tuning on the corpus. Every task weighs the same; a share of the items shows exemplars with scores and asks for
-- the best of those drawn, so that the policy learns both forms of the prompt. Conversations (hone.corpus) are learnt as they stand, each once
-- a pass. The loss is on the answer only.
local hone = require "hone"
local learning = require "hone.learning"

-- Three programs of one task: the two slower ones are shown, the fastest is the target. Fewer than three: a plain item.
local function draw(list, item, exemplars, rng)
    if #list <= exemplars then return item, {} end
    local drawn = rng:shuffle(list)
    local shown = { table.unpack(drawn, 1, exemplars + 1) }
    table.sort(shown, function(a, b) return a.log_speedup < b.log_speedup end)
    local target = table.remove(shown)
    return target, rng:shuffle(shown)
end

-- A sequence from one item, with exemplars or without.
local function make(run, o, list, item, rng, name)
    local target, exemplars = item, {}
    if o.exemplars > 0 and rng:uniform() < o.exemplar_share then target, exemplars = draw(list, item, o.exemplars, rng) end
    local shown = {}
    for i, e in ipairs(exemplars) do
        local log, ratio = e.log_speedup, math.exp(e.log_speedup)
        shown[i] = { task = e.task.name, hash = e.hash, code = e.code, plan = e.plan, speedup = { estimate = ratio, lower = ratio, upper = ratio },
            log_speedup = { estimate = log, lower = log, upper = log } }
    end
    local messages = run:write(o.prompt, target.task, shown, name, target.judge)
    return learning.sequence(o.policy, messages, learning.answer(messages, target))
end

-- Sequences of one pass over the corpus. Training tasks with fewer than `balance` programs repeat them; else those with few variants
-- starve.
local function epoch(run, o, lists, names, conversations, rng, stage)
    local sequences = table.move(conversations, 1, #conversations, 1, {})
    for _, name in ipairs(names) do
        local list = lists[name]
        local repeated = o.balance and list[1].task.role == "train"
        local count = repeated and math.max(#list, o.balance) or #list
        local order = {}
        while #order < count do
            for _, item in ipairs(rng:shuffle(list)) do
                if #order < count then order[#order + 1] = item end
            end
        end
        for i, item in ipairs(order) do sequences[#sequences + 1] = make(run, o, list, item, rng, stage .. "/" .. name .. "/" .. i) end
    end
    return sequences
end

-- updates: so many instead of whole epochs. Returns {updates, tokens}, or nothing where the policy cannot learn.
return function(run, given)
    local o = learning.options(run, given, {
        policy = hone.required, prompt = learning.prompt, corpus = hone.required,
        adapt = learning.by_policy { compact = true, chat = false },
        exemplars = 2, exemplar_share = 0.5, balance = hone.optional,
        epochs = 12, updates = hone.optional, batch = 16, lr = learning.by_policy { compact = 3e-3, chat = 1e-5 }, warm_up = 20,
        weight_decay = 0.05, max_grad_norm = 1.0, train = "auto", stage = "sft",
    }, "run:sft", { exemplars = { 0 } })
    if given.epochs and o.updates then
        error("run:sft: option \"epochs\" has no effect with updates, which says how many there are; leave one of them out", 2)
    end
    if not learning.possible(run, o.policy, o.train, o.stage) then return end
    local rng, items, talks = run:rng(o.stage), learning.items(o.corpus), learning.conversations(o.corpus)
    if #items + #talks == 0 then
        error("run:sft: the corpus is empty: no program of a teacher has passed; run:collect with more trials, or with a prompt that the "
            .. "teacher understands (`hone report` counts the verdicts)", 2)
    end
    local lists, names = learning.by_task(items)
    if o.adapt then
        local texts = {}
        for _, item in ipairs(items) do texts[#texts + 1] = learning.text(item) end
        for _, name in ipairs(names) do texts[#texts + 1] = lists[name][1].task.spec end
        for _, talk in ipairs(talks) do
            for _, message in ipairs(talk.messages) do texts[#texts + 1] = message.text end
        end
        o.policy:adapt(texts)
    end
    local sequences = {}
    for i, talk in ipairs(talks) do sequences[i] = learning.conversation(o.policy, talk) end
    o.rng = rng
    return learning.likelihood(run, o.policy, function(n) return epoch(run, o, lists, names, sequences, rng, o.stage .. "/" .. n) end, o)
end
