-- A row of the stage table: `group` fresh answers to every task, and the best of each task measured again.
local hone = require "hone"
local exemplars = require "hone.exemplars"
local learning = require "hone.learning"
local report = require "hone.report"

-- Machine codes that the corpus already holds; nil, with the reason, where it has programs whose machine code nobody knows: a copy of
-- one would be taken for novel.
local function known(corpus)
    local talks, set, without = #learning.conversations(corpus), {}, 0
    for _, item in ipairs(learning.items(corpus)) do
        if item.artifact then set[item.artifact] = true else without = without + 1 end
    end
    if talks + without == 0 then return set end
    return nil, ("novel is left out: of %d of the corpus's conversations and programs no machine code is known; give a corpus of run:collect")
        :format(talks + without)
end

-- Two notes as one; nil: there is nothing to tell.
local function joined(note, other)
    return note and other and note .. "; " .. other or note or other
end

-- Returns the row, the samples behind it and each task's best measured again. `judge` should take every timing anew (refresh = 1): one that
-- was stored while it was rewarded is luckier than its program. `again`: the judge that measures winners at length, the same one unless given.
return function(run, given)
    local o = learning.options(run, given, {
        policy = hone.required, prompt = learning.prompt, suite = hone.required, judge = hone.required, again = hone.optional,
        row = hone.required, group = 8, exemplars = "none", archive = hone.optional, corpus = hone.optional, temperature = 1.0, max_tokens = learning.max_tokens,
    }, "run:evaluate")
    if o.archive and o.exemplars == "none" then
        error("run:evaluate: option \"archive\" has no effect without exemplars; give exemplars = \"bucket\" or another strategy, or leave it out", 2)
    end
    local draw, prompts = exemplars.strategy(o.exemplars), {}
    for i, task in ipairs(o.suite) do
        local name = "evaluate/" .. o.row .. "/" .. task.name
        local shown = draw(o.archive or run.archive, task, run:rng(name))
        prompts[i] = { task = task, exemplars = shown, messages = run:write(o.prompt, task, shown, name, o.judge) }
    end
    local groups = run:rollout {
        policy = o.policy, judge = o.judge, prompts = prompts, group = o.group, temperature = o.temperature, max_tokens = o.max_tokens,
        stage = o.row,
    }
    local samples, losses = report.samples(groups)
    local best, not_again = report.measured_again(o.again or o.judge, samples, o.suite, losses)
    local set, not_known
    if o.corpus then set, not_known = known(o.corpus) end
    local row = report.row(samples, o.suite, best, set, losses, o.max_tokens)
    row.note = joined(joined(row.note, not_again), not_known)
    run:record(o.row, row)
    run:step(o.row, {
        success = row.success, typical = row.typical, lost = row.lost, cut = row.cut, fallback = row.fallback, best_of_n = row.best_of_n,
    })
    if row.note then run:step(o.row, { note = row.note }) end
    return row, samples, best
end
