-- What the stages share: items to learn from, likelihood updates, and what happens where a policy cannot learn.
local hone = require "hone"
local checks = require "hone.checks"
local learning = {}

-- A default for learning.options that depends on what the stage's policy says it speaks (hone/policy.h): one value for each word. A policy
-- that says nothing gets the value of "other", else that of "chat".
local by_policy = {}
function learning.by_policy(values) return setmetatable(values, by_policy) end

-- The prompt of a Lua function and of recorded answers: the task's statement. The whole answer is the program.
local function statement(task) return { { role = "user", text = task.statement }, fenced = false } end

learning.prompt = learning.by_policy { compact = "compact", chat = "contrastive", other = statement }
learning.max_tokens = learning.by_policy { compact = 256, chat = 8192 }

-- An adapter begins at no change and has few numbers: it learns at ten times the rate. Half of the context is the prompt's.
function learning.preset(run, key, value, facts)
    local chosen = value[facts.speaks or "other"]
    if chosen == nil then chosen = value.chat end
    if value == learning.prompt then return run:prompt(chosen) end
    if key == "lr" and (facts.lora or 0) > 0 then return 10 * chosen end
    if key == "max_tokens" and (facts.context or 0) > 1 then return math.min(chosen, math.floor(facts.context / 2)) end
    return chosen
end

-- The options of a stage: hone.options, with the defaults that depend on the policy. A prompt in marks that the policy does not know is refused.
-- limits: of options that other stages have with another meaning.
function learning.options(run, given, defaults, place, limits)
    local policy = type(given) == "table" and given.policy
    local facts = type(policy) == "userdata" and policy:facts() or {}
    local speaks = facts.speaks
    for key, value in pairs(defaults) do
        if getmetatable(value) == by_policy then defaults[key] = learning.preset(run, key, value, facts) end
    end
    local o = hone.options(given, defaults, place, checks.limits_of(defaults, limits))
    checks.values(o, place, 3)
    checks.own_parts(run, o, place, 3)
    if type(o.prompt) == "function" then o.prompt = run:prompt(o.prompt) end
    local written = type(o.prompt) == "userdata" and o.prompt:facts().speaks
    if written and speaks and written ~= speaks then
        error(("%s: the prompt is written in the marks of %q, which policy %q does not know; write prompt = run:prompt(%q), or leave "
            .. "prompt out"):format(place, written, policy.name, learning.prompt[speaks] or learning.prompt.chat), 3)
    end
    return o
end

-- A stage that needs gradients makes no updates of a frozen policy and says so; with train = true it refuses instead, with train = false it makes
-- none of any policy.
function learning.possible(run, policy, train, stage)
    if train ~= "auto" and type(train) ~= "boolean" then
        error(("%s: option \"train\": \"auto\", true or false expected, got %s"):format(stage, tostring(train)), 3)
    end
    if train == false then
        run:step(stage, { note = "train = false: no updates" })
        return false
    end
    if policy.trainable then return true end
    if train == true then error(("%s: train = true, but policy %q cannot learn; use train = \"auto\" to go on without updates"):format(stage,
        policy.name), 3) end
    run:step(stage, { note = "no updates: policy " .. policy.name .. " cannot learn" })
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

-- The conversations of a corpus (hone.corpus), or of a list of corpora.
function learning.conversations(corpus)
    local all = {}
    for _, part in ipairs(corpus.items and { corpus } or corpus) do
        for _, conversation in ipairs(part.conversations or {}) do all[#all + 1] = conversation end
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

-- Nothing could be learnt from an answer whose tokens the chat template leaves out.
local function require_trained(count, text)
    if count > 0 or not text:find("%S") then return end
    error("policy:learn: no token of the answer is in what the policy's chat template writes; give the policy another one: template = \"chatml\"", 0)
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
    require_trained(count, answer)
    return { ids = ids, trained = trained, count = count }
end

-- The same of a conversation as it stands: its answers are learnt.
function learning.conversation(policy, conversation)
    local ids, sources = policy:encode(conversation.messages, false)
    local trained, count = {}, 0
    for t, source in ipairs(sources) do
        trained[t] = conversation.learnt[source] == true
        if trained[t] then count = count + 1 end
    end
    local answers = ""
    for i, message in ipairs(conversation.messages) do answers = answers .. (conversation.learnt[i] and message.text or "") end
    require_trained(count, answers)
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

-- Maximum likelihood of the answers' tokens: warm-up, then cosine to a tenth. epoch(n) gives the sequences of epoch n. Shows ten lines, in
-- which an update that was skipped counts as such and has no part in the loss.
-- options: stage, epochs (or updates: their number), batch, lr, warm_up, max_grad_norm, weight_decay, rng.
function learning.likelihood(run, policy, epoch, options)
    local plan, n = {}, 0
    while options.updates and #plan < options.updates or not options.updates and n < options.epochs do
        n = n + 1
        local list = epoch(n)
        if #list == 0 then error(options.stage .. ": epoch " .. n .. " has no sequence to learn from", 2) end
        for _, batch in ipairs(batches(list, options.batch, options.rng)) do
            if #plan ~= options.updates then plan[#plan + 1] = batch end
        end
    end
    local loss, tokens, shown, skipped = 0, 0, 0, 0
    for k, batch in ipairs(plan) do
        local warm = math.min(1, k / math.max(options.warm_up, 1))
        local lr = options.lr * warm * (0.1 + 0.45 * (1 + math.cos(math.pi * (k - 1) / #plan)))
        local done = update(policy, batch, lr, options)
        tokens = tokens + done.tokens
        if done.applied then loss, shown = loss - done.objective, shown + 1 else skipped = skipped + 1 end
        if k == #plan or k % math.ceil(#plan / 10) == 0 then
            run:step(options.stage, {
                update = k, of = #plan, loss = shown > 0 and loss / shown or nil, grad_norm = done.applied and done.grad_norm or nil,
                skipped = skipped > 0 and skipped or nil,
            })
            loss, shown, skipped = 0, 0, 0
        end
    end
    return { updates = #plan, tokens = tokens }
end

return learning
