-- Shapes against cases worked out by hand, and against the stage's rewards before they were composed.
-- Run: LUA_PATH=scripts/?.lua lua5.4 tests/lua/shaping_test.lua
package.preload.hone = function() -- what shapes need of it: presets of options
    return { options = function(given, presets) return setmetatable(given, { __index = presets }) end }
end
local objective = require "hone.objective"
local shaping = require "hone.shaping"

local function near(got, wanted, what)
    if math.abs(got - wanted) > 1e-9 then error(("%s: %.12g instead of %.12g"):format(what, got, wanted), 2) end
end

local function same(got, wanted, what)
    assert(#got == #wanted, what .. ": wrong length")
    for i = 1, #wanted do
        if got[i] ~= wanted[i] then error(("%s, member %d: %s instead of %s"):format(what, i, tostring(got[i]), tostring(wanted[i])), 2) end
    end
end

-- What a shape needs of a run: a shaper is a function of one judgement here, and unscorable members get none.
local run, shapers = {}, {}
function run:shaper(f)
    local handle = io.tmpfile() -- a userdata, as hone's
    shapers[handle] = f
    return handle
end
function run:shape(shaper, group)
    local rewards = {}
    for i, member in ipairs(group.members) do rewards[i] = member.judgement.scorable and shapers[shaper](member.judgement) or false end
    return rewards
end

-- A group of one task; a number is a passed answer with that ln(speed-up), "failed" one that did not pass, false an unscorable one.
local function group_of(task, answers)
    local members = {}
    for i, answer in ipairs(answers) do
        local lower = tonumber(answer)
        members[i] = { judgement = { scorable = answer ~= false, passed = lower ~= nil, log_speedup = lower and { lower = lower } } }
    end
    return { task = { name = task }, members = members }
end

local certain = run:shaper(shaping.certain)
local function rewards(shape, answers, task) return shaping.rewards(shape, group_of(task or "t", answers), run) end

-- A shaper and a function are both shapes; a function of one judgement, which is not, is told so.
do
    same(rewards(certain, { 1, "failed", false }), { 1, -2.5, false }, "a shaper")
    same(rewards(certain, { -708.4, "failed" }), { -2, -2.5 }, "an interval that reaches down to nothing is above a failure")
    same(rewards(function(group) return { #group.members, 0 } end, { 1, 2 }), { 2, 0 }, "a function")
    for _, wrong in ipairs { function() return 1 end, function() end, function() return { 1 } end } do
        local fine, text = pcall(rewards, wrong, { 1, 2 })
        assert(not fine and text:find("run:shaper(f) makes a shaper", 1, true), text)
    end
end

-- A list with a number that is none is told by the member.
do
    for _, wrong in ipairs { 1 / 0, -1 / 0, 0 / 0 } do
        local fine, text = pcall(rewards, function() return { 1, wrong } end, { 1, 2 })
        assert(not fine and text:match("shaping_test.lua:%d+: (.*)$") == ("a shape gave %s for member 2 of a group, no finite number; give false to leave an answer out"):format(wrong), text)
    end
end

-- What was judged is what tables are made of: a shape that writes there is told the place.
do
    local function bends(group)
        group.members[2].judgement.log_speedup.lower = 3
        return { 1, 2 }
    end
    local fine, text = pcall(rewards, bends, { 1, 2 })
    assert(not fine and text:match("shaping_test.lua:%d+: (.*)$") == "a shape changed member.judgement.log_speedup.lower of member 2 of a group; what was judged stays: return another reward", text)
    same(rewards(function(group) group.members[1].mine = 1 return { 1, 2 } end, { 1, 2 }), { 1, 2 }, "a key of the shape's own")
end

-- What a shape returns is its own: it may give the same list again.
do
    local own = { 0, 2, 4 }
    local function shape() return own end
    same(rewards(shaping.smoothed(shape), { 0, 2, 4 }), { -1, 0, 1 }, "smoothed")
    same(rewards(shaping.beyond_noise(shape, 10), { 0, 2, 4 }), { 2, 2, 2 }, "beyond noise")
    same(own, { 0, 2, 4 }, "the shape's own list")
end

-- Every change is noted in the members, in order, by its name; a function is noted by its place.
do
    local group = group_of("t", { 0, "failed", 4, false })
    local function halved(of)
        return function(g)
            local list = shaping.rewards(of, g, run)
            for i, r in ipairs(list) do list[i] = r and r > -2 and r / 2 end
            return list
        end
    end
    shaping.rewards(shaping.beyond_noise(halved(shaping.smoothed(certain, { limit = 0.5 })), 2), group, run)
    local first, failed, last, unscorable = group.members[1].reward, group.members[2].reward, group.members[3].reward, group.members[4].reward
    local function path(reward)
        local list = { tostring(reward.raw) }
        for i, change in ipairs(reward.changes) do list[i + 1] = (change.name:find "shaping_test.lua:%d+$" and "here" or change.name) .. " " .. tostring(change.value) end
        return table.concat(list, ", ")
    end
    same({ path(first), path(failed) }, { "0, smoothed -0.5, here -0.25, beyond_noise 0.0",
        "-2.5, here nil" }, "notes")
    same({ path(last), path(unscorable) }, { "4, smoothed 0.5, here 0.25, beyond_noise 0.0", "nil" }, "notes")
    assert(first.value == 0 and failed.value == nil and unscorable.value == nil, "what was optimised")
    local committed
    function run:rewarded(groups) committed = groups end
    shaping.record(run, { group }, { { 0.5, false, 0, false } })
    assert(committed[1] == group and first.advantage == 0.5 and failed.advantage == nil and last.advantage == 0, "advantages")
end

-- Smoothing by hand: 0, 2, 4 has mean 2 and deviation 2.
do
    same(rewards(shaping.smoothed(certain), { 0, 2, 4 }), { -1, 0, 1 }, "distances in deviations")
    same(rewards(shaping.smoothed(certain), { 0, "failed", 2, false, 4 }), { -1, -2.5, 0, false, 1 }, "failures stand apart")
    local all = rewards(shaping.smoothed(certain, { failures = true }), { -1.5, "failed", 2, 2 })
    near(all[1] - all[2], 1 / objective.deviation { -1.5, -2.5, 2, 2 }, "a failure counts like any other reward")
    near(all[1] + all[2] + all[3] + all[4], 0, "and has a part in the mean")
    local calm = shaping.smoothed(certain, { floor = 0.1 })
    rewards(calm, { 1, 1, 1, 1, 1, 1, 1, 1, 1 })
    near(rewards(calm, { 1.05 })[1], 0.045 / 0.1, "the floor stands for the deviation")
    local wild = shaping.smoothed(certain, { limit = 1.5 })
    rewards(wild, { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 })
    near(rewards(wild, { 100 })[1], 1.5, "cut above")
    local deep = shaping.smoothed(certain, { limit = 1.5 })
    rewards(deep, { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 })
    near(rewards(deep, { -1000 })[1], -1.5, "cut below")
    local short = shaping.smoothed(certain, { window = 2, limit = 10 })
    rewards(short, { 50, 0 })
    near(rewards(short, { 2 })[1], 1 / math.sqrt(2), "only the window counts: 0, 2")
    local two = shaping.smoothed(certain)
    rewards(two, { 7, 9 }, "another task")
    same(rewards(two, { 0, 2, 4 }), { -1, 0, 1 }, "each task has a history of its own")
end

-- What differs by noise does not differ.
do
    same(rewards(shaping.beyond_noise(certain, 0.3), { 0.25, false, 0.5 }), { 0.375, false, 0.375 }, "within the noise")
    same(rewards(shaping.beyond_noise(certain, 0.3), { 0.1, 0.45, false }), { 0.1, 0.45, false }, "beyond it")
    same(rewards(shaping.beyond_noise(certain, 0.3), { false, false }), { false, false }, "nothing was scored")
    assert(objective.degenerate(rewards(shaping.beyond_noise(certain, 0.3), { 0.1, 0.2, 0.3 })), "an update leaves such a group out")
end

-- The stage's rewards and groups as they were computed before they were composed, written independently of shaping.lua: the published
-- results rest on them.
local function stage_before(shaped)
    local history = {}
    return function(group)
        local name, list = group.task.name, {}
        for i, member in ipairs(group.members) do
            if shaped then list[i] = member.judgement.scorable and shaped(member.judgement)
            elseif not member.judgement.scorable then list[i] = false
            else list[i] = member.judgement.passed and member.judgement.log_speedup.lower or nil end
            if list[i] then
                history[name] = history[name] or {}
                table.insert(history[name], list[i])
                if #history[name] > 64 then table.remove(history[name], 1) end
            end
        end
        for i in ipairs(group.members) do
            if list[i] then
                local m, s = objective.mean(history[name]), math.max(objective.deviation(history[name]), 0.1)
                list[i] = math.max(-1.5, math.min(1.5, (list[i] - m) / s))
            end
            if list[i] == nil then list[i] = -2.5 end
        end
        return list
    end
end

local function dropped_before(list, noise)
    local scored = objective.scored(list)
    return #scored < 2 or math.max(table.unpack(scored)) - math.min(table.unpack(scored)) <= noise
end

do
    local seed = 4711 -- a generator of its own: the host refuses math.random
    local function uniform()
        seed = (seed * 1103515245 + 12345) % 2147483648
        return seed / 2147483648
    end
    local function some_group()
        local answers, calm = {}, uniform() < 0.3
        for i = 1, 8 do
            local x = uniform()
            answers[i] = x < 0.05 and false or x < (calm and 0.05 or 0.3) and "failed" or (calm and 0.01 or 2) * (uniform() - 0.3)
        end
        return group_of(uniform() < 0.5 and "t" or "u", answers)
    end
    local function paper(judgement) return judgement.passed and math.exp(judgement.log_speedup.lower) or 0 end
    local cases = {
        { "published", stage_before(), shaping.published(run), 0.3 },
        { "CUDA-L1", stage_before(paper), shaping.smoothed(run:shaper(paper), { failures = true }), 0 },
    }
    for _, case in ipairs(cases) do
        local name, before, shape, noise = table.unpack(case)
        local dropped = 0
        for round = 1, 500 do
            local group = some_group()
            local wanted, got = before(group), shaping.rewards(shape, group, run)
            assert(objective.degenerate(got) == dropped_before(wanted, noise), name .. ": which groups teach")
            if objective.degenerate(got) then dropped = dropped + 1
            else same(got, wanted, name .. ", round " .. round) end
        end
        assert(dropped < 500, name .. ": some groups teach")
        assert(noise == 0 or dropped > 0, name .. ": and some do not")
    end
end

print "shaping: all cases hold"
