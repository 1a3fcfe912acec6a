-- What stages check of their options before they begin, beside names and types (hone.options): numbers within limits, suites, corpora,
-- archives, shapes and presets of objectives.
local hone = require "hone"
local objective = require "hone.objective"
local checks = {}

-- By the name of an option, in whatever stage (limits of hone.options).
checks.limits = {
    trials = { 1 }, keep = { 1 }, steps = { 0 }, rounds = { 0 }, epochs = { 1 }, updates = { 1 }, group = { 1 }, batch = { 1 }, cap = { 1 },
    balance = { 1 }, max_tokens = { 1 }, warm_up = { 0.0 }, temperature = { 0.0 }, exemplar_share = { 0.0, 1.0 }, replay = { 0.0 },
    regulariser = { 0.0 }, lr = { 0.0 }, weight_decay = { 0.0 }, max_grad_norm = { 0.0 },
}

-- Those of the options that have a default there, and a stage's own.
function checks.limits_of(defaults, own)
    local list = {}
    for name, limit in pairs(checks.limits) do list[name] = defaults[name] ~= nil and limit or nil end
    for name, limit in pairs(own or {}) do list[name] = limit end
    return list
end

-- A text where keys are not 1..n: `#` and ipairs may end at a hole, which most often is a misspelt name.
function checks.list(list)
    local count, last, hole = 0, 0, 1
    for key in pairs(list) do
        if math.type(key) ~= "integer" or key < 1 then return ("a list expected, and the table has a key %s; give entries alone: { first, second }"):format(key) end
        count, last = count + 1, math.max(last, key)
    end
    if count == last then return end
    while rawget(list, hole) ~= nil do hole = hole + 1 end
    return ("entry %d of %d is nil, and would end the list; write what was meant there, or close the gap"):format(hole, last)
end

-- By the name of an option: a text where the value is wrong.
local values = {}

-- Rows, archives and corpora know a task by its name: one suite has each task once, and one definition of it; a corpus
-- has several programs of a task (repeats).
local function clash(entries, noun, task_of, repeats)
    local seen = {}
    for i, entry in ipairs(entries) do
        local task = task_of(entry)
        local other = seen[task.name]
        if not other then
            seen[task.name] = { at = i, task = task }
        elseif other.task.hash ~= task.hash then
            return ("two different tasks are called %q: %s %d of suite %q and %s %d of suite %q; rename one of them, or keep the "
                .. "two in stages of their own"):format(task.name, noun, other.at, other.task.suite, noun, i, task.suite)
        elseif not repeats then
            return ("%s %d and %d are one task, %q; leave one of them out"):format(noun, other.at, i, task.name)
        end
    end
end

function values.suite(suite)
    local cure = "; write suite = run:suite(\"...\"), or { task }"
    if type(suite) ~= "table" then return "a list of tasks expected, got " .. type(suite) .. cure end
    if next(suite) == nil then return "the list of tasks is empty" .. cure end
    local wrong = checks.list(suite)
    if wrong then return wrong end
    for i, task in ipairs(suite) do
        if type(task) ~= "userdata" then return ("entry %d is a %s, no task"):format(i, type(task)) .. cure end
    end
    return clash(suite, "entry", function(task) return task end, false)
end
function values.auxiliary(suite)
    if type(suite) ~= "table" or next(suite) ~= nil then return values.suite(suite) end
end

-- A part that a run opened. call: how, after "run:".
local function opened(noun, call)
    return function(value)
        if type(value) == "userdata" then return end
        return ("a %s expected, got %s; write %s"):format(noun, type(value),
            call:format(type(value) == "string" and ("%q"):format(value) or "..."))
    end
end
values.policy = opened("policy", "policy = run:policy(%s)")
values.judge = opened("judge", "judge = run:judge{ verifier = ..., timer = ..., reference = ... }")
values.again = opened("judge", "again = run:judge{ verifier = ..., timer = ..., reference = ... }")

function values.prompt(prompt)
    if type(prompt) ~= "function" then return opened("prompt strategy or a function", "prompt = run:prompt(%s)")(prompt) end
end

function values.stage(name)
    if type(name) ~= "string" or name == "" then return "a name expected, got " .. (name == "" and "an empty text" or type(name)) end
end

local function wrong_item(items)
    local hole = checks.list(items)
    if hole then return "items: " .. hole end
    for i, item in ipairs(items) do
        local wrong = type(item) ~= "table" and "is a " .. type(item)
            or type(item.task) ~= "userdata" and "has a " .. type(item.task) .. " as task"
            or type(item.code) ~= "string" and "has a " .. type(item.code) .. " as code"
            or type(item.log_speedup) ~= "number" and "has a " .. type(item.log_speedup) .. " as log_speedup"
        if wrong then return ("item %d %s; an item is { task =, code =, language =, log_speedup = } as of run:collect"):format(i, wrong) end
    end
end

-- A corpus, or a list of them.
function values.corpus(corpus)
    if type(corpus) ~= "table" then return "a corpus expected, got " .. type(corpus) end
    local function task_of(item) return item.task end
    if type(corpus.items) == "table" then return wrong_item(corpus.items) or clash(corpus.items, "item", task_of, true) end
    local all, hole = {}, checks.list(corpus)
    if hole then return hole end
    for _, part in ipairs(corpus) do
        if type(part) ~= "table" or type(part.items) ~= "table" then
            return "a list of items is no corpus; give what run:collect returned, or { items = list }"
        end
        local wrong = wrong_item(part.items)
        if wrong then return wrong end
        table.move(part.items, 1, #part.items, #all + 1, all)
    end
    if #corpus == 0 then return "has no items; give what run:collect returned, or { items = list }" end
    return clash(all, "item", task_of, true)
end

function values.into(corpus)
    local wrong = values.corpus(corpus)
    return wrong or type(corpus.samples) ~= "table" and "has no samples; give what run:collect returned, or { items = {}, samples = {} }"
end

values.row = values.stage

function values.archive(archive)
    if type(archive) == "userdata" or type(archive) == "table" and archive.find then return end
    return "an archive expected, got " .. type(archive) .. " without a function find; write archive = run.archive:branch()"
end

-- What works for a stage writes into the journal of the run that made it.
function checks.own_parts(run, o, place, level)
    for _, name in ipairs { "policy", "teacher", "judge", "again" } do
        local of = type(o[name]) == "userdata" and o[name].run
        if of and of.folder ~= run.folder then
            error(("%s: option %q is of run %q, and run %q is asked; take both from one run"):format(place, name, of.name, run.name), level + 1)
        end
    end
end

-- A stage adds its answers to its archive, and one of another run takes none.
function checks.own_archive(run, archive, place, level)
    if type(archive) ~= "userdata" or archive.run.folder == run.folder then return end
    error(("%s: option \"archive\": it is of run %q, and the stage adds answers of run %q, which that archive cannot hold; write archive = "
        .. "run.archive:branch(), and show programs of the other run by exemplars = function(own, task, rng) return other:find{...} end")
        :format(place, archive.run.name, run.name), level + 1)
end

function values.shape(shape)
    if type(shape) == "userdata" or type(shape) == "function" then return end
    return ("a shaper or a function expected, got %s; write shape = run:shaper(%s)"):format(type(shape),
        type(shape) == "string" and ("%q"):format(shape) or "...")
end

-- Errors name the option, on the line that called the stage. level: as in error(), of whoever calls this.
function checks.values(o, place, level)
    for name, wrong in pairs(values) do
        local text = o[name] ~= nil and wrong(o[name])
        if text then error(("%s: option %q: %s"):format(place, name, text), level + 1) end
    end
end

local function words(from)
    local list = {}
    for name in pairs(from) do list[#list + 1] = name end
    table.sort(list)
    return list
end

-- Fields that say nothing beside others.
local function check_idle(preset, place, level)
    local function refuse(names, beside, cure)
        for _, name in ipairs(names) do
            if preset[name] ~= nil then error(("%s: option %q has no effect %s; %s"):format(place, name, beside, cure), level + 2) end
        end
    end
    if preset.surrogate == "reinforce" then
        refuse({ "ratio", "clip_low", "clip_high", "dual_clip" }, 'with surrogate = "reinforce", which clips no ratio', "leave it out")
    end
    if preset.surrogate ~= "reinforce" then
        refuse({ "truncate" }, 'without surrogate = "reinforce"; the clip bounds the ratio', "leave it out")
    end
    if (preset.kl or 0) == 0 then refuse({ "divergence" }, "without kl", "give kl = 0.001 or another weight, or leave it out") end
end

-- The fields of an objective: objective.presets holds some by name.
function checks.preset(preset, place, level)
    local clip = preset.surrogate == "reinforce" and hone.optional or hone.required
    local checked = hone.options(preset, {
        advantage = hone.required, aggregation = hone.required, ratio = "token", surrogate = hone.optional, clip_low = clip, clip_high = clip,
        dual_clip = hone.optional, kl = hone.optional, divergence = hone.optional, truncate = hone.optional,
    }, place .. ": preset", {
        advantage = words(objective.advantages), aggregation = words(objective.aggregations), divergence = words(objective.divergences),
        ratio = { "token", "sequence" }, surrogate = { "reinforce" },
        clip_low = { 0.0, 1.0 }, clip_high = { 0.0 }, dual_clip = { 1.0 }, kl = { 0.0 }, truncate = { 1.0 },
    })
    check_idle(preset, place .. ": preset", level + 1)
    return checked
end

-- The shape that another one is made of.
function checks.shape(shape, place, level)
    local wrong = values.shape(shape)
    if wrong then error(place .. ": " .. wrong, level + 1) end
end

-- Samples of an evaluation, of which there may be none; its row is the likely slip.
function checks.samples(list, place, level)
    if type(list) == "table" and (next(list) == nil or list[1]) then return end
    error(place .. ": a list of samples expected; write: local row, samples = run:evaluate{...}", level + 1)
end

-- What gradients compare must differ: answers of one group. o: group, temperature and preset of a stage that learns.
function checks.comparison(o, place, level)
    local text = o.group == 1 and o.preset.advantage ~= "reinforce"
        and ("option \"group\": advantage %q compares the answers of a group, and one has nothing to be compared with; give group = 2 or more, "
            .. "or preset = \"reinforce\""):format(o.preset.advantage)
        or o.temperature == 0 and "option \"temperature\": at 0 all answers of a group are one, and nothing is compared; give 1.0"
    if text then error(place .. ": " .. text, level + 1) end
end

return checks
