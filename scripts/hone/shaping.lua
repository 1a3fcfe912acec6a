-- How a reward is shaped. A shape is a shaper part, run:shaper(...), or a function (group, run) -> rewards: for each member of the group a
-- number, or false to leave it out. The functions below take a shape and give another one, so a script composes them:
--
--   shape = shaping.beyond_noise(shaping.smoothed(run:shaper "log-speedup"), 0.3)
--
-- run:shaper(f) makes a shaper of a Lua function (judgement, member) of one answer: member.candidate.code is its program (no candidate: the
-- answer held none), member.text the whole answer, member.finish why it ended, member.tokens_out its length. A shaper that is a plugin finds
-- the same as keys of its judgement: code, plan, text, finish, tokens_out.
local hone = require "hone"
local checks = require "hone.checks"
local objective = require "hone.objective"
local shaping = {}

-- Notes in each member's `reward` (hone.Reward) what `name` made of it; the first note is the raw reward.
function shaping.note(group, name, rewards, reasons)
    for i, member in ipairs(group.members) do
        local value, noted = rewards[i] or nil, member.reward
        if not noted then
            member.reward = { raw = value, reason = reasons and reasons[i], changes = {}, value = value }
        elseif noted.value ~= value then
            table.insert(noted.changes, { name = name, value = value })
            noted.value = value
        end
    end
end

local function checked(rewards, group, place)
    local n = #group.members
    if type(rewards) == "table" then
        local last = 0
        for i in pairs(rewards) do last = math.max(last, math.tointeger(i) or n + 1) end
        for i = 1, last == n and n or 0 do  -- `#` of a list with holes may be any number
            local given = rewards[i]
            if given == nil then error(place .. "a shape gave nil for member " .. i .. " of a group; give false to leave an answer out", 0) end
            if given and type(given) ~= "number" then
                error(place .. "a shape gave a " .. type(given) .. " for member " .. i .. " of a group; give a number, or false to leave it out", 0)
            end
            if given and not (given - given == 0) then
                error(place .. ("a shape gave %s for member %d of a group, no finite number; give false to leave an answer out"):format(given, i), 0)
            end
        end
        if last == n then return table.move(rewards, 1, n, 1, {}) end -- what a shape returned is its own
    end
    error(place .. "a shape is a function (group, run) that returns a list: a number or false for each member; run:shaper(f) makes a shaper of a "
        .. "function (judgement, member) of one answer", 0)
end

-- What a member holds but its reward, to tell whether a shape has changed it: tables and stage rows are made of the same judgements.
local function copied(value)
    if type(value) ~= "table" then return value end
    local copy = {}
    for key, part in next, value do
        if key ~= "reward" then copy[key] = copied(part) end
    end
    return copy
end

-- The path of the first value that is not what it was; nil: there is none. New keys are the shape's own.
local function changed(before, now, path)
    if type(before) ~= "table" or type(now) ~= "table" then return before ~= now and path or nil end
    for key, part in next, before do
        local found = changed(part, rawget(now, key), path .. "." .. tostring(key))
        if found then return found end
    end
end

-- place: of the function's first line, "own.lua:12: ".
local function called(shape, group, run, place)
    local before = copied(group.members)
    local rewards = checked(shape(group, run), group, place .. ": ")
    for i, member in ipairs(before) do
        local path = changed(member, group.members[i], "member")
        if path then
            error(place .. (": a shape changed %s of member %d of a group; what was judged stays: return another reward"):format(path, i), 0)
        end
    end
    return rewards
end

-- The rewards that a shape gives a group of run:rollout. They are noted in the members; a function that notes no name of its own is noted by
-- its place in the script.
function shaping.rewards(shape, group, run)
    if type(shape) ~= "function" then
        local rewards, reasons = run:shape(shape, group)
        shaping.note(group, "shaper", rewards, reasons)
        return rewards
    end
    local at = debug.getinfo(shape, "S")
    local place = at.short_src .. ":" .. at.linedefined
    local rewards = called(shape, group, run, place)
    shaping.note(group, place, rewards)
    return rewards
end

-- Commits what a stage optimised: the rewards noted in the groups' members, and the advantages, a list by group of lists by member; absent or
-- false: no part in the update.
function shaping.record(run, groups, advantages)
    for g, group in ipairs(groups) do
        for i, member in ipairs(group.members) do member.reward.advantage = advantages and advantages[g] and advantages[g][i] or nil end
    end
    run:rewarded(groups)
end

-- What a shape remembers is of one stage: an arm of an experiment is not measured by the arm before it.
local stages = 0
function shaping.begin_stage() stages = stages + 1 end

-- The running mean and deviation of each task's last `window` values; the deviation is at least `floor`.
local function memory(window, floor)
    local history, self = {}, {}
    function self.observe(task, value)
        local list = history[task] or {}
        history[task] = list
        list[#list + 1] = value
        if #list > window then table.remove(list, 1) end
    end
    function self.moments(task)
        return objective.mean(history[task]), math.max(objective.deviation(history[task]), floor)
    end
    return self
end

-- Rewards as distances from the mean of their task's last `window` (64), in deviations, cut at +-`limit` (1.5, as in CUDA-L1), so that one
-- 100x program does not own the update. The deviation is at least `floor` (0.1), since smaller differences are noise. Each stage begins anew.
-- Answers that did not pass keep their reward and count in no mean; failures = true: they are smoothed like the others, as the paper does.
function shaping.smoothed(shape, options)
    checks.shape(shape, "shaping.smoothed", 2)
    local o = hone.options(options or {}, { limit = 1.5, window = 64, floor = 0.1, failures = false }, "shaping.smoothed",
        { limit = { 0.0 }, window = { 1 }, floor = { 0.0 } })
    local limit, seen, stage = o.limit, nil, nil
    return function(group, run)
        if stage ~= stages then seen, stage = memory(o.window, o.floor), stages end
        local rewards, name = shaping.rewards(shape, group, run), group.task.name
        local function taken(i) return rewards[i] and (o.failures or group.members[i].judgement.passed) end
        for i, reward in ipairs(rewards) do
            if taken(i) then seen.observe(name, reward) end
        end
        for i, reward in ipairs(rewards) do
            if taken(i) then
                local mean, deviation = seen.moments(name)
                rewards[i] = deviation > 0 and math.max(-limit, math.min(limit, (reward - mean) / deviation)) or 0.0
            end
        end
        shaping.note(group, "smoothed", rewards)
        return rewards
    end
end

-- Where a group's rewards span `floor` or less, each becomes their mean: what differs by noise does not differ, and teaches nothing.
function shaping.beyond_noise(shape, floor)
    checks.shape(shape, "shaping.beyond_noise", 2)
    floor = hone.options({ floor = floor }, { floor = 0.0 }, "shaping.beyond_noise", { floor = { 0.0 } }).floor
    return function(group, run)
        local rewards = shaping.rewards(shape, group, run)
        local list = objective.scored(rewards)
        if #list == 0 or math.max(table.unpack(list)) - math.min(table.unpack(list)) > floor then return rewards end
        local mean = objective.mean(list)
        for i, reward in ipairs(rewards) do rewards[i] = reward and mean end
        shaping.note(group, "beyond_noise", rewards)
        return rewards
    end
end

-- ln of what is certain of a speed-up, at least -2 (an interval may reach down to nothing), failures below all.
function shaping.certain(judgement) return judgement.passed and math.max(-2.0, judgement.log_speedup.lower) or -2.5 end

-- The shape behind the results in docs/results.
function shaping.published(run)
    return shaping.beyond_noise(shaping.smoothed(run:shaper(shaping.certain)), 0.3)
end

return shaping
