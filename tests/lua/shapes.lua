-- Shapes of rewards in stages, on the fake device.
local shaping = require "hone.shaping"
local test = require "harness"
local tests = {}

function tests.the_default_shape_is_the_shaper()
    local it = test.stage_setting()
    local asked, groups = shaping.rewards, 0
    shaping.rewards = function(shape, group, run)
        local rewards = asked(shape, group, run)
        test.equal(rewards, (run:shape(run:shaper "log-speedup", group)))
        groups = groups + 1
        return rewards
    end
    local fine, text = pcall(function()
        it.run:contrastive_rl { policy = it.teacher, prompt = it.prompt, suite = it.suite, judge = it.judge, steps = 2, group = 4 }
    end)
    shaping.rewards = asked
    test.is(fine, text)
    test.equal(groups, 2 * #it.suite)
end

-- An arm of an experiment is not measured by the arm before it.
function tests.a_shape_begins_each_stage_anew()
    local it = test.stage_setting()
    local only = it.run:suite("fake", { only = "axpy" })
    local function optimised(shape, answers)
        local given
        it.run:contrastive_rl {
            policy = it.run:policy(function(r) return answers[r.member] end), suite = only, judge = it.judge, steps = 1, group = #answers,
            exemplars = "none", shape = function(group, run)
                given = shape(group, run)
                return given
            end,
        }
        return given
    end
    local fast, one = { "3 1 4", "3 1 5", "3 2 5", "3 3 4" }, shaping.smoothed(it.run:shaper "log-speedup")
    optimised(one, { "3 9 9", "3 8 9", "3 9 8", "3 7 7" })
    test.equal(optimised(one, fast), optimised(shaping.smoothed(it.run:shaper "log-speedup"), fast))
end

-- A real judgement's reward is the logarithm of its ratio, not the ratio.
function tests.what_is_certain_is_a_logarithm()
    local it = test.stage_setting()
    local prompts = {}
    for i, task in ipairs(it.suite) do prompts[i] = { task = task, messages = { { role = "user", text = task.statement }, fenced = false } } end
    local passed = 0
    for _, group in ipairs(it.run:rollout { policy = it.teacher, judge = it.judge, prompts = prompts, group = 6, stage = "certain" }) do
        for _, member in ipairs(group.members) do
            local judgement = member.judgement
            if judgement.passed then
                local log = math.log(judgement.seconds.baseline / judgement.seconds.candidate)
                test.is(math.abs(shaping.certain(judgement) - log) < 0.1, shaping.certain(judgement) .. " of " .. log)
                passed = passed + (math.abs(log) > 0.3 and 1 or 0)
            else
                test.equal(shaping.certain(judgement), -2.5)
            end
        end
    end
    test.is(passed > 0, "some are far from the reference")
end

function tests.a_shape_of_the_wrong_form_is_told_the_cure()
    local it = test.stage_setting()
    local fine, text = pcall(function()
        it.run:contrastive_rl {
            policy = it.teacher, prompt = it.prompt, suite = it.suite, judge = it.judge, steps = 1, group = 2,
            shape = function(judgement) return judgement.passed and 1 or 0 end,
        }
    end)
    test.is(not fine and tostring(text):find("run:shaper(f) makes a shaper", 1, true), tostring(text))
end

return tests
