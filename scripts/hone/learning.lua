-- What the stages share: items to learn from, likelihood updates, and what happens where a policy cannot learn.
local learning = {}

-- A stage that needs gradients passes a frozen policy by and says so; with train = true it refuses instead.
function learning.possible(run, policy, train, stage)
    if policy.trainable then return true end
    if train == true then error(("%s: train = true, but policy %q cannot learn; use train = \"auto\" to leave the stage out"):format(stage,
        policy.name), 3) end
    run:step(stage, { note = "left out: policy " .. policy.name .. " cannot learn" })
    return false
end

-- A corpus, or a list of corpora, as one list of items {task, code, language, hash, log_speedup, artifact}.
function learning.items(corpus)
    if corpus.items then return corpus.items end
    local all = {}
    for _, part in ipairs(corpus) do
        for _, item in ipairs(part.items) do all[#all + 1] = item end
    end
    return all
end

-- Items by the name of their task instance: {name = list}, and the names in order of first appearance.
function learning.by_task(items)
    local lists, names = {}, {}
    for _, item in ipairs(items) do
        local name = item.task.name
        if not lists[name] then
            lists[name] = {}
            names[#names + 1] = name
        end
        table.insert(lists[name], item)
    end
    return lists, names
end

-- A program, and its launch plan if it has one.
function learning.text(item)
    return item.code .. ((item.plan or "") ~= "" and "\n```lua\n" .. item.plan or "")
end

-- The answer that a policy should give: that text, or each part between fences where the prompt asks for them.
function learning.answer(messages, item)
    if not messages.fenced then return learning.text(item) end
    local plan = (item.plan or "") ~= "" and ("```lua\n%s\n```\n"):format(item.plan) or ""
    return ("```%s\n%s\n```\n"):format(item.language, item.code) .. plan
end

-- Token ids of prompt and answer, and which of them are the answer's (its end included).
function learning.sequence(policy, messages, answer)
    local list = {}
    for i, message in ipairs(messages) do list[i] = message end
    list[#list + 1] = { role = "assistant", text = answer }
    local ids, sources = policy:encode(list, false)
    local trained, count = {}, 0
    for t, source in ipairs(sources) do
        trained[t] = source == #list
        if trained[t] then count = count + 1 end
    end
    return { ids = ids, trained = trained, count = count }
end

-- The same of a policy's own answer, by the ids it sampled: text encoded again may give others.
function learning.own(member)
    local ids, trained = table.move(member.prompt_ids, 1, #member.prompt_ids, 1, {}), {}
    for t = 1, #ids do trained[t] = false end
    for _, id in ipairs(member.ids) do
        ids[#ids + 1] = id
        trained[#ids] = true
    end
    return { ids = ids, trained = trained, count = #member.ids }
end

-- One weight for each trained token, 0 for the others.
function learning.flat(sequence, weight)
    local weights = {}
    for t, trained in ipairs(sequence.trained) do weights[t] = trained and weight or 0 end
    return weights
end

-- Batches of similar length, in random order, so that little is padded.
local function batches(sequences, size, rng)
    local order = {}
    for i, sequence in ipairs(sequences) do order[i] = { sequence = sequence, key = #sequence.ids + 8 * rng:uniform() } end
    table.sort(order, function(a, b) return a.key < b.key end)
    local list = {}
    for i = 1, #order, size do
        local batch = {}
        for j = i, math.min(i + size - 1, #order) do batch[#batch + 1] = order[j].sequence end
        list[#list + 1] = batch
    end
    return rng:shuffle(list)
end

local function update(policy, batch, lr, options)
    local tokens, list = 0, {}
    for _, sequence in ipairs(batch) do tokens = tokens + sequence.count end
    for i, sequence in ipairs(batch) do list[i] = { ids = sequence.ids, weight = learning.flat(sequence, 1 / tokens) } end
    return policy:learn { sequences = list, lr = lr, max_grad_norm = options.max_grad_norm, weight_decay = options.weight_decay }
end

-- Maximum likelihood of the answers' tokens: warm-up, then cosine to a tenth. epoch(n) gives the sequences of epoch n. Shows ten lines.
-- options: stage, epochs (or updates: their number), batch, lr, warm_up, max_grad_norm, weight_decay, rng.
function learning.likelihood(run, policy, epoch, options)
    local plan, n = {}, 0
    while options.updates and #plan < options.updates or not options.updates and n < options.epochs do
        n = n + 1
        for _, batch in ipairs(batches(epoch(n), options.batch, options.rng)) do
            if #plan ~= options.updates then plan[#plan + 1] = batch end
        end
    end
    local loss, tokens, shown = 0, 0, 0
    for k, batch in ipairs(plan) do
        local warm = math.min(1, k / math.max(options.warm_up, 1))
        local lr = options.lr * warm * (0.1 + 0.45 * (1 + math.cos(math.pi * (k - 1) / #plan)))
        local done = update(policy, batch, lr, options)
        loss, tokens, shown = loss - done.objective, tokens + done.tokens, shown + 1
        if k == #plan or k % math.ceil(#plan / 10) == 0 then
            run:step(options.stage, { update = k, of = #plan, loss = loss / shown, grad_norm = done.grad_norm })
            loss, shown = 0, 0
        end
    end
    return { updates = #plan, tokens = tokens }
end

return learning
