-- How a reward is shaped. A shape is a shaper part, run:shaper(...), or a function (group, run) -> rewards: for each member of the group a
-- number, or false to leave it out. The functions below take a shape and give another one, so a script composes them:
--
--   shape = shaping.beyond_noise(shaping.smoothed(run:shaper "log-speedup"), 0.3)
--
-- run:shaper(f) makes a shaper of a Lua function of one judgement.
local objective = require "hone.objective"
local shaping = {}

-- The rewards that a shape gives a group of run:rollout.
function shaping.rewards(shape, group, run)
    if type(shape) ~= "function" then return (run:shape(shape, group)) end
    local rewards = shape(group, run)
    if type(rewards) == "table" and #rewards == #group.members then return rewards end
    error("a shape is a function (group, run) that returns a list: a number or false for each member; run:shaper(f) makes a shaper of a "
        .. "function of one judgement", 0)
end

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
-- 100x program does not own the update. The deviation is at least `floor` (0.1), since smaller differences are noise. Answers that did not
-- pass keep their reward and count in no mean; failures = true: they are smoothed like the others, as the paper does.
function shaping.smoothed(shape, options)
    local o = options or {}
    local limit, seen = o.limit or 1.5, memory(o.window or 64, o.floor or 0.1)
    return function(group, run)
        local rewards, name = shaping.rewards(shape, group, run), group.task.name
        local function taken(i) return rewards[i] and (o.failures or group.members[i].judgement.passed) end
        for i, reward in ipairs(rewards) do
            if taken(i) then seen.observe(name, reward) end
        end
        for i, reward in ipairs(rewards) do
            if taken(i) then
                local mean, deviation = seen.moments(name)
                rewards[i] = math.max(-limit, math.min(limit, (reward - mean) / deviation))
            end
        end
        return rewards
    end
end

-- Where a group's rewards span `floor` or less, each becomes their mean: what differs by noise does not differ, and teaches nothing.
function shaping.beyond_noise(shape, floor)
    return function(group, run)
        local rewards = shaping.rewards(shape, group, run)
        local list = objective.scored(rewards)
        if #list == 0 or math.max(table.unpack(list)) - math.min(table.unpack(list)) > floor then return rewards end
        local mean = objective.mean(list)
        for i, reward in ipairs(rewards) do rewards[i] = reward and mean end
        return rewards
    end
end

-- ln of what is certain of a speed-up, failures below all.
function shaping.certain(judgement) return judgement.passed and judgement.log_speedup.lower or -2.5 end

-- The shape behind the results in docs/results.
function shaping.published(run)
    return shaping.beyond_noise(shaping.smoothed(run:shaper(shaping.certain)), 0.3)
end

return shaping
