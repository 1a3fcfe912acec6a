-- Stage 3: contrastive reinforcement learning. Prompts show earlier programs with their scores, drawn once for each group; answers are
-- judged, rewarded, compared within their group, and the policy takes a clipped policy-gradient step. A frozen policy takes no step: what
-- is left is search, in which every verified answer may become the next prompt's exemplar.
local hone = require "hone"
local checks = require "hone.checks"
local exemplars = require "hone.exemplars"
local learning = require "hone.learning"
local objective = require "hone.objective"
local report = require "hone.report"
local shaping = require "hone.shaping"

local patience = 3 -- steps without a verified answer, from the first one, after which the stage says so
local likelihood_items, auxiliary_share = 16, 0.3 -- of the likelihood term in one step; the share of them that auxiliary tasks have

local function prompts(run, o, step)
    local list = {}
    for _, task in ipairs(o.suite) do
        local name = ("contrastive_rl/%d/%s"):format(step, task.name)
        local rng = run:rng(name)
        local shown = {}
        if rng:uniform() < o.exemplar_share then shown = o.draw(o.archive, task, rng) end
        list[#list + 1] = { task = task, exemplars = shown, messages = run:write(o.prompt, task, shown, name, o.judge) }
    end
    return list
end

-- The likelihood term: programs of the faster half of each task's archive, so that the policy keeps writing more than one.
local function likely(run, o, rng, step)
    local list = {}
    for i = 1, o.regulariser > 0 and likelihood_items or 0 do
        local task = rng:pick(rng:uniform() < auxiliary_share and #o.auxiliary > 0 and o.auxiliary or o.suite)
        local found = o.archive:find { task = task }
        if #found > 0 then
            local item = found[rng:below(math.max(math.min(3, #found), #found // 2)) + 1]
            local messages = run:write(o.prompt, task, {}, ("contrastive_rl/likely/%d/%d"):format(step, i), o.judge)
            list[#list + 1] = learning.sequence(o.policy, messages, learning.answer(messages, item))
        end
    end
    return list
end

local function tail(list, first, count)
    return table.move(list, first + 1, first + count, 1, {})
end

-- The weigh function of policy:learn for answers followed by likelihood items.
local function weigher(o, answers, references, items)
    local lengths, tokens = {}, 0
    for i, answer in ipairs(answers) do lengths[i] = answer.count end
    for _, item in ipairs(items) do tokens = tokens + item.count end
    local scale = objective.aggregations[o.preset.aggregation](lengths, o.max_tokens)
    return function(i, logp)
        if i > #answers then return learning.flat(items[i - #answers], o.regulariser / tokens) end
        local answer = answers[i]
        local reference = references and tail(references[i].logp, answer.first, answer.count)
        local present = tail(logp, answer.first, answer.count)
        local weights, metrics = objective.weights(o.preset, present, answer.old, answer.advantage, scale(i), reference)
        local all = {}
        for t = 1, answer.first do all[t] = 0 end
        return table.move(weights, 1, answer.count, answer.first + 1, all), nil, metrics
    end
end

local function update(run, o, groups, advantages, rng, step)
    local answers = {}
    for g, group in ipairs(groups) do
        for i, member in ipairs(group.members) do
            local advantage = advantages[g] and advantages[g][i]
            if advantage and #member.ids > 0 then
                local answer = learning.own(member)
                answer.first, answer.old, answer.advantage = #member.prompt_ids, member.logp, advantage
                answers[#answers + 1] = answer
            end
        end
    end
    local items, all = likely(run, o, rng, step), {}
    for _, answer in ipairs(answers) do all[#all + 1] = { ids = answer.ids } end
    for _, item in ipairs(items) do all[#all + 1] = { ids = item.ids } end
    if #all == 0 then return { metrics = {} } end
    local references = o.reference and o.reference:score(table.move(all, 1, #answers, 1, {}), { temperature = o.temperature })
    local done, skipped, mismatch
    for _ = 1, o.updates do
        done = o.policy:learn {
            sequences = all, lr = o.lr, max_grad_norm = o.max_grad_norm, temperature = o.temperature,
            weigh = weigher(o, answers, references, items), objective = { preset = o.preset, regulariser = o.regulariser },
        }
        if not done.applied then skipped = (skipped or 0) + 1 end
        if not mismatch and (done.metrics.tokens or 0) > 0 then mismatch = done.metrics.off / done.metrics.tokens end
    end
    if not done.applied then done.grad_norm = nil end
    done.skipped, done.mismatch = skipped, mismatch
    return done
end

-- Numbers of a step: shares and means of the answers that could be judged, nil where there is none.
local function measure(groups, rewarded, max_tokens)
    local passed, total, lost, cut, full, typical, distinct, reward, no_program = 0, 0, 0, 0, 0, {}, 0, {}, {}
    for g, group in ipairs(groups) do
        local seen, logs = {}, {}
        for i, member in ipairs(group.members) do
            if member.judgement.scorable then total = total + 1 else lost = lost + 1 end
            if report.was_cut(member) then cut = cut + 1 end
            if report.was_cut(member) and report.is_full(member.tokens_out, max_tokens) then full = full + 1 end
            no_program[#no_program + 1] = report.no_program(member)
            if rewarded[g][i] then reward[#reward + 1] = rewarded[g][i] end
            if member.judgement.passed then
                passed = passed + 1
                logs[#logs + 1] = member.judgement.log_speedup.estimate
                if not seen[member.candidate.hash] then seen[member.candidate.hash], distinct = true, distinct + 1 end
            end
        end
        if #logs > 0 then typical[#typical + 1] = objective.mean(logs) end
    end
    return {
        success = total > 0 and passed / total or nil, typical = #typical > 0 and math.exp(objective.mean(typical)) or nil,
        distinct = distinct / #groups, reward = #reward > 0 and objective.mean(reward) or nil, lost = lost > 0 and lost or nil,
        cut = cut > 0 and cut or nil,
    }, cut, total, #reward, no_program, full
end

-- What to do where the first steps had no verified answer.
local function advice(o, learns, cut, total, no_program, full)
    local note = report.cut_note(cut, total, o.max_tokens, full) or report.no_program_note(no_program, total)
    if learns then return "fine-tune longer" .. (note and "; " .. note or "") end
    return note or "`hone report --json` counts the verdicts"
end

-- Adds the judged answers of a group to found.samples, and keeps the best verified one of each task in found.best.
local function note_samples(found, group)
    local name, best = group.task.name, found.best
    for _, member in ipairs(group.members) do
        local sample = report.sample(group.task, member)
        found.samples[#found.samples + 1] = sample
        if sample and sample.passed and (not best[name] or sample.lower > best[name].lower) then best[name] = sample end
    end
end

-- steps: in a row, in each of which no group said anything. A stage in which none does learns nothing from its rewards.
local function note_idle(run, o, steps)
    if steps == patience then
        run:step(o.stage, { note = "no group taught anything in " .. steps .. " steps: within each the rewards are all equal (a constant reward, a "
            .. "temperature at which all answers are one, or groups too small)" })
    end
    return steps
end

-- Tells once of a step whose answers, which all could be rewarded, had no reward.
local function note_left_out(run, o, told, rewards, total)
    if told or rewards > 0 or total == 0 then return told end
    run:step(o.stage, { note = "the shape left out every answer of a step (" .. total .. "): none has a reward (NaN of a plugin, nil or false "
        .. "in Lua)" })
    return true
end

-- Arms of an experiment differ in these. A misspelt key of a table of arms is nil, which is the default: so the stage says what it takes.
local function choices(given)
    local list = {}
    for _, one in ipairs { { "exemplars", "bucket" }, { "shape", "log-speedup" }, { "archive", "of the run" }, { "preset", "hone" } } do
        local name, value = one[1], given[one[1]]
        local at = type(value) == "function" and debug.getinfo(value, "S")
        list[#list + 1] = name .. " " .. (value == nil and one[2] .. " (default)" or type(value) == "string" and value
            or at and at.short_src .. ":" .. at.linedefined or "of the script")
    end
    return table.concat(list, ", ")
end

-- shape: see shaping.lua; archive: what exemplars and likelihood items come from, if not the run's; the stage adds its answers to it.
-- updates: of each step, on the same answers. Returns {best, samples}: the best verified answer of each task,
-- {task name = sample}, and all that was judged.
return function(run, given)
    local o = learning.options(run, given, {
        policy = hone.required, prompt = learning.prompt, suite = hone.required, judge = hone.required, auxiliary = {},
        steps = 36, group = 8, temperature = 1.0, max_tokens = learning.max_tokens,
        exemplars = "bucket", exemplar_share = 1.0, archive = hone.optional,
        shape = hone.optional, preset = "hone", regulariser = 0.2,
        lr = learning.by_policy { compact = 5e-4, chat = 1e-6 }, updates = 1, max_grad_norm = 1.0, train = "auto", stage = "contrastive-rl",
    }, "run:contrastive_rl")
    o.preset = type(o.preset) == "table" and checks.preset(o.preset, "run:contrastive_rl", 2) or objective.preset(o.preset, "run:contrastive_rl", 3)
    checks.own_archive(run, o.archive, "run:contrastive_rl", 2)
    local learns = learning.possible(run, o.policy, o.train, o.stage)
    if learns then checks.comparison(o, "run:contrastive_rl", 2) end
    if not learns then run:step(o.stage, { note = "runs as search: exemplars, scores and archive" }) end
    o.draw, o.archive = exemplars.strategy(o.exemplars), o.archive or run.archive
    o.shape = o.shape or run:shaper "log-speedup"
    o.reference = learns and (o.preset.kl or 0) > 0 and o.policy:clone()
    local rng, found, look, idle, left_out = run:rng(o.stage), { best = {}, samples = {} }, math.min(o.steps, patience), 0, false
    local cut, total, full, no_program = 0, 0, 0, {}
    shaping.begin_stage()
    for step = 1, o.steps do
        local groups = run:rollout {
            policy = o.policy, judge = o.judge, prompts = prompts(run, o, step), group = o.group, temperature = o.temperature,
            max_tokens = o.max_tokens, stage = o.stage, step = step,
        }
        local rewarded = {}
        for g, group in ipairs(groups) do
            rewarded[g] = shaping.rewards(o.shape, group, run)
            note_samples(found, group)
        end
        if o.archive.add then o.archive:add(groups) end
        local line, cut_now, total_now, rewards, no_program_now, full_now = measure(groups, rewarded, o.max_tokens)
        local advantages, dropped
        cut, total, full = cut + cut_now, total + total_now, full + full_now
        table.move(no_program_now, 1, #no_program_now, #no_program + 1, no_program)
        left_out = note_left_out(run, o, left_out, rewards, total_now)
        if learns then advantages, dropped = objective.batch_advantages(rewarded, o.preset) end
        shaping.record(run, groups, advantages)
        if learns then
            local done = update(run, o, groups, advantages, rng, step)
            line.dropped_groups, line.grad_norm, line.clipped = dropped, done.grad_norm, done.metrics.clipped
            line.skipped, line.mismatch = done.skipped, done.mismatch
            idle = note_idle(run, o, dropped == #groups and rewards > 0 and next(found.best) and idle + 1 or 0)
        end
        line.step, line.of, line.takes = step, o.steps, step == 1 and choices(given) or nil
        run:step(o.stage, line)
        if step == look and not next(found.best) then
            run:step(o.stage, { note = "no answer has passed yet: " .. advice(o, learns, cut, total, no_program, full) })
        end
    end
    return found
end
