-- Numbers of a stage from its samples, and the comparison of a run's best program with its nearest relative in the corpus.
local learning = require "hone.learning"
local report = {}

local function mean(list)
    local sum = 0
    for _, x in ipairs(list) do sum = sum + x end
    return #list > 0 and sum / #list or nil
end

local function geometric(logs)
    local m = mean(logs)
    return m and math.exp(m)
end

local function median(list)
    if #list == 0 then return nil end
    local sorted = { table.unpack(list) }
    table.sort(sorted)
    local half = #sorted // 2
    return #sorted % 2 == 1 and sorted[half + 1] or (sorted[half] + sorted[half + 1]) / 2
end

-- What a speed-up is taken against, in words.
local function baseline(judgement)
    local reference = judgement.reference
    if judgement.speedup.baseline == "program" then return "the task's baseline_program" end
    if not reference then return judgement.speedup.baseline end
    local threads = judgement.device == "cpu" and reference.options.threads or nil
    local team = threads == 0 and ", one thread a core" or threads and (", %d threads"):format(threads) or ""
    return ("%s %s%s"):format(judgement.speedup.baseline, reference.id, team)
end

-- Whether an answer ends where max_tokens ended it.
function report.was_cut(member) return member.finish == "length" end

-- Whether an answer of so many tokens that was cut ended before max_tokens: the context of the model was full. 0: not told.
function report.is_full(tokens, max_tokens) return max_tokens ~= nil and tokens > 0 and tokens < max_tokens end

-- What to tell of answers that were cut; nil where fewer than a quarter are: a small policy rambles now and then.
-- full: how many of them ended before that, where the model's context was full.
function report.cut_note(cut, total, max_tokens, full)
    if cut == 0 or 4 * cut < total then return nil end
    if 2 * (full or 0) > cut then
        return ("%d of %d answers were cut before max_tokens = %d: the model's context was full, or its server has a limit of its own; shorten the prompts, or raise that"):format(full,
            total, max_tokens)
    end
    return ("%d of %d answers were cut at max_tokens = %d; raise it"):format(cut, total, max_tokens)
end

-- Why an answer holds no program; nil where it holds one, or was cut, which is told apart.
function report.no_program(member)
    local judgement = member.judgement
    return judgement.verdict == "PARSE_ERROR" and not report.was_cut(member) and judgement.reason or nil
end

-- How many there are, and the most frequent one (numbers apart): nothing where none is.
local function count_reasons(reasons)
    local count, first, most = {}, {}, nil
    for _, reason in ipairs(reasons) do
        local kind = reason:gsub("%d", "")
        first[kind], count[kind] = first[kind] or reason, (count[kind] or 0) + 1
        if not most or count[kind] > count[most] then most = kind end
    end
    if most then return #reasons, first[most] end
end

-- What to tell of answers without a program; nil where fewer than half have none.
function report.no_program_note(reasons, total)
    local count, reason = count_reasons(reasons)
    if not count or 2 * count < total then return nil end
    return ("%d of %d answers hold no program: %s"):format(count, total, reason)
end

-- A judged answer as a sample of its task; nil where the judge could say nothing (infrastructure). lower: the certain part of its log
-- speed-up. A best is chosen by that, since among many quick measurements the highest estimate is the luckiest one.
function report.sample(task, member)
    local judgement = member.judgement
    if not judgement.scorable then return nil end
    local candidate, facts = member.candidate, judgement.facts
    return {
        task = task, passed = judgement.passed, log_speedup = judgement.passed and judgement.log_speedup.estimate or nil,
        lower = judgement.passed and judgement.log_speedup.lower or nil,
        baseline = judgement.passed and baseline(judgement) or nil, unit = judgement.passed and judgement.unit ~= "s" and judgement.unit or nil,
        hash = candidate and candidate.hash, code = candidate and candidate.code, plan = candidate and candidate.plan,
        language = candidate and candidate.language,
        artifact = facts and facts.artifact or candidate and candidate.hash, -- machine code, where the verifier reports it
        id = judgement.id, cut = report.was_cut(member), tokens_out = member.tokens_out, no_program = report.no_program(member),
    }
end

-- The answers of groups as samples, and for each answer that is none (lost) the reason.
function report.samples(groups)
    local samples, losses = {}, {}
    for _, group in ipairs(groups) do
        for _, member in ipairs(group.members) do
            local sample = report.sample(group.task, member)
            if sample then samples[#samples + 1] = sample else losses[#losses + 1] = member.judgement.reason end
        end
    end
    return samples, losses
end

-- What a judge takes: the program of a sample, an item or an exemplar, with its launch plan.
function report.program(item)
    return { code = item.code, language = item.language, plan = item.plan }
end

local function take(group, sample)
    group.kept[#group.kept + 1] = sample.passed and math.max(sample.log_speedup, 0) or 0
    if not sample.passed then return end
    group.logs[#group.logs + 1] = sample.log_speedup
    if not group.seen[sample.artifact] then group.seen[sample.artifact], group.distinct = true, group.distinct + 1 end
    if not group.best or sample.lower > group.best.lower then group.best = sample end
end

-- Samples by task, every task of the suite present, also those without a verified answer. Samples of other tasks have no part.
local function grouped(samples, suite)
    local by_name, list = {}, {}
    for i, task in ipairs(suite) do
        list[i] = { task = task, logs = {}, kept = {}, distinct = 0, seen = {} }
        by_name[task.name] = list[i]
    end
    for _, sample in ipairs(samples) do
        local group = by_name[sample.task.name]
        if group then take(group, sample) end
    end
    return list
end

-- Per task: log of the geometric mean of verified answers (nil: none), of one answer with fallback and success rate (nil: nothing was
-- judged), best sample.
function report.by_task(samples, suite)
    local list = {}
    for i, group in ipairs(grouped(samples, suite)) do
        list[i] = {
            task = group.task, typical = mean(group.logs), fallback = mean(group.kept), distinct = group.distinct, best = group.best,
            success = #group.kept > 0 and #group.logs / #group.kept or nil,
        }
    end
    return list
end

-- The row of a stage (plain ratios). remeasured: {task name = log speed-up of its best on fresh inputs}; known: set of machine codes of the
-- corpus; losses: reasons of answers without a score, which are in no mean. shrinkage: the share of their quick estimates that the winners
-- lose when they are measured again, luck of the draw and all. max_tokens: at which answers were cut.
function report.row(samples, suite, remeasured, known, losses, max_tokens)
    local cut, full, passed, typical, fallback, best, luck, distinct, novel, above, baselines, unit = 0, 0, {}, {}, {}, {}, {}, 0, 0, 0, {}, nil
    local no_program = {}
    for _, sample in ipairs(samples) do
        if sample.cut then cut = cut + 1 end
        if sample.cut and report.is_full(sample.tokens_out or 0, max_tokens) then full = full + 1 end
        no_program[#no_program + 1] = sample.no_program
        if sample.passed then
            passed[#passed + 1] = math.exp(sample.log_speedup)
            unit = sample.unit or unit
            if sample.baseline and not baselines[sample.baseline] then
                baselines[sample.baseline], baselines[#baselines + 1] = true, sample.baseline
            end
            if known and not known[sample.artifact] then novel = novel + 1 end
        end
    end
    for _, group in ipairs(report.by_task(samples, suite)) do
        if group.typical then typical[#typical + 1] = group.typical end
        fallback[#fallback + 1] = group.fallback
        local again = group.best and remeasured and remeasured[group.task.name]
        if again then luck[#luck + 1] = again - group.best.log_speedup end
        local top = again or group.best and group.best.log_speedup or 0
        if group.fallback and (again or again == nil and not group.best) then best[#best + 1] = math.max(top, 0) end -- whose best fails or is slower keeps the reference
        if again ~= false and top > math.log(1.01) then above = above + 1 end
        distinct = distinct + group.distinct
    end
    local count, reason = count_reasons(losses or {})
    return {
        samples = #samples, cut = cut > 0 and cut or nil,
        note = max_tokens and report.cut_note(cut, #samples, max_tokens, full) or report.no_program_note(no_program, #samples),
        lost = count, lost_reason = reason, success = #samples > 0 and #passed / #samples or nil,
        tasks = #suite, tasks_verified = #typical,
        typical = geometric(typical), fallback = geometric(fallback), best_of_n = remeasured and geometric(best) or nil, above_1_01 = above,
        shrinkage = #luck > 0 and 1 - geometric(luck) or nil,
        mean = mean(passed), median = median(passed), max = #passed > 0 and math.max(table.unpack(passed)) or nil,
        distinct = distinct / #suite, novel = known and #passed > 0 and novel / #passed or nil,
        baseline = #baselines > 0 and table.concat(baselines, " and ") or nil, unit = unit,
    }
end

-- Each task's best sample, judged again: {task name = log speed-up}, 0 where it no longer passes, false where it could not be judged, whose
-- reason is added to losses, absent where the judge only gave its stored timing. judge: one that takes timings anew. Returns also what to tell of
-- those that are absent; nil: nothing.
function report.measured_again(judge, samples, suite, losses)
    local waiting, result, stored = {}, {}, 0
    for _, group in ipairs(report.by_task(samples, suite)) do
        if group.best then waiting[#waiting + 1] = { group = group, ticket = judge:submit(group.task, report.program(group.best)) } end
    end
    for _, one in ipairs(waiting) do
        local group, _, judgement, was_stored = one.group, judge:collect(one.ticket)
        if was_stored then
            stored = stored + 1
        else
            result[group.task.name] = judgement.passed and judgement.log_speedup.estimate or judgement.scorable and 0
            if not judgement.scorable and losses then losses[#losses + 1] = judgement.reason end
        end
    end
    return result, stored > 0 and ("of the best answers %d not measured again: the judge had their timings; give one with refresh = 1")
        :format(stored) or nil
end

local function lines(text)
    local list = {}
    for line in text:gmatch("[^\n]+") do list[#list + 1] = line end
    return list
end

-- Longest common subsequence of two lists of lines: lengths[i][j] for what follows line i of a and line j of b.
local function common(a, b)
    local lengths = {}
    for i = #a + 1, 1, -1 do
        lengths[i] = {}
        for j = #b + 1, 1, -1 do
            if i > #a or j > #b then lengths[i][j] = 0
            elseif a[i] == b[j] then lengths[i][j] = lengths[i + 1][j + 1] + 1
            else lengths[i][j] = math.max(lengths[i + 1][j], lengths[i][j + 1]) end
        end
    end
    return lengths
end

-- The lines of both texts, marked " ", "-" or "+".
function report.diff(old, new)
    local a, b, i, j, marked = lines(old), lines(new), 1, 1, {}
    local lengths = common(a, b)
    while i <= #a or j <= #b do
        if i <= #a and j <= #b and a[i] == b[j] then
            marked[#marked + 1] = "  " .. a[i]
            i, j = i + 1, j + 1
        elseif j > #b or (i <= #a and lengths[i + 1][j] >= lengths[i][j + 1]) then
            marked[#marked + 1], i = "- " .. a[i], i + 1
        else
            marked[#marked + 1], j = "+ " .. b[j], j + 1
        end
    end
    return table.concat(marked, "\n")
end

-- The program of the list that shares most lines with code.
function report.nearest(code, items)
    local best, most = nil, -1
    local wanted = lines(code)
    for _, item in ipairs(items) do
        local other = lines(learning.text(item))
        local share = common(other, wanted)[1][1] / math.max(#other, #wanted)
        if share > most then best, most = item, share end
    end
    return best
end

-- The task whose best program is furthest ahead of the best that a teacher wrote for it; the first of the suite if there is none.
function report.most_gained(run, suite, corpus)
    local written, chosen, most = {}, suite[1], 0
    for _, item in ipairs(corpus.items) do
        local name = item.task.name
        written[name] = math.max(written[name] or -math.huge, item.lower)
    end
    for _, task in ipairs(suite) do
        local best = run.archive:find { task = task, order = "-speedup.lower", limit = 1 }[1]
        local gained = best and written[task.name] and best.log_speedup.lower - written[task.name] or 0
        if gained > most then chosen, most = task, gained end
    end
    return chosen
end

-- For one task: the best program of the run, the nearest of the corpus, their difference, both times against the baseline, and the two
-- against each other in turns, all taken anew by `judge`.
function report.comparison(run, judge, task, corpus)
    local best = run.archive:find { task = task, order = "-speedup.lower", limit = 1 }[1]
    if not best then return "no verified program for " .. task.name end
    local mates = {}
    for _, item in ipairs(corpus.items) do
        if item.task.name == task.name then mates[#mates + 1] = item end
    end
    local near = report.nearest(learning.text(best), mates)
    local function measure(item, against)
        local judgement
        for _ = 1, 3 do -- a machine that is too busy now may be calm in a moment
            judgement = select(2, judge:collect(judge:submit(task, report.program(item), { against = against })))
            if judgement.scorable then break end
        end
        return judgement
    end
    local function line(name, judgement)
        if not judgement.scorable then return ("%s: not measured, %s"):format(name, judgement.reason) end
        if not judgement.passed then return ("%s: %s"):format(name, judgement.verdict) end
        local cost = judgement.seconds or judgement.cost
        if judgement.unit ~= "s" then
            return ("%s: %.4g %s, baseline %.4g %s, %.2fx as much"):format(name, cost.candidate, judgement.unit, cost.baseline, judgement.unit,
                1 / judgement.speedup.estimate)
        end
        return ("%s: %.1f us, baseline %.1f us, %.2fx"):format(name, cost.candidate * 1e6, cost.baseline * 1e6, judgement.speedup.estimate)
    end
    local text = { task.name .. ": " .. task.statement, "", line("best program found", measure(best)) }
    if near then
        text[#text + 1] = line("nearest program of the corpus", measure(near))
        local same = learning.text(near) == learning.text(best)
        local both = not same and measure(best, report.program(near))
        if both and both.passed then
            local ratio, low, high = both.speedup.estimate, both.speedup.lower, both.speedup.upper or math.huge
            if both.unit ~= "s" then ratio, low, high = 1 / ratio, 1 / high, 1 / low end
            text[#text + 1] = ("the one against the other, in turns: %.2fx (%.2f to %.2f)%s"):format(ratio, low, high,
                both.unit ~= "s" and " as much" or "")
        end
        text[#text + 1] = same and "(the teacher wrote the same program)\n\n" .. learning.text(best)
            or "\n" .. report.diff(learning.text(near), learning.text(best))
    else
        text[#text + 1] = "\n" .. learning.text(best)
    end
    return table.concat(text, "\n")
end

return report
