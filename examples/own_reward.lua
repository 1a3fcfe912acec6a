-- An experiment of one page: is it better to reward what is certain of a speed-up, or its best guess?
--
--   for s in 1 2 3; do hone run examples/own_reward.lua --name own-reward-$s --set seed=$s; done
--
-- A run takes about half an hour on two idle cores; --set quick=true takes about ten minutes and says little. Both arms begin with the same weights and the
-- same archive, and neither sees what the other finds. The difference between two seeds may be larger than that between the arms: believe
-- what all seeds agree on.
local hone = require "hone"

local seed, quick = hone.settings("seed", 1), hone.settings("quick", false)
local run = hone.run { name = "own-reward", seed = seed }
local policy, prompt = run:policy("torch-lm", { model = "tiny" }), run:prompt("compact", { exemplars = 2 })
local verifier, timer, reference = run:verifier("cpp"), run:timer("wall"), run:reference("torch")
local judge = run:judge { verifier = verifier, timer = timer, reference = reference }
local fresh = run:judge { verifier = verifier, timer = timer, reference = reference, refresh = 1 } -- takes every timing anew
local suite = run:suite("cpu-basics", { only = { "softmax", "layer_norm", "matmul", "transpose" } })

local function evaluate(row)
    run:evaluate { policy = policy, prompt = prompt, suite = suite, judge = fresh, row = row, group = 16 }
end

-- What both arms begin with. Fewer updates, and the model cannot spell C++ yet: then every reward is that of a failure, and there is
-- nothing to compare.
local corpus = run:collect { teacher = run:policy("template"), suite = suite, judge = judge, trials = 40, keep = 24 }
run:sft { policy = policy, prompt = prompt, corpus = corpus, updates = quick and 420 or 600 }
policy:save(run.folder .. "/sft")
local known = run.archive:branch()
evaluate "SFT"

-- A shaper is a function (judgement, member) that returns a reward, or nil to leave the answer out. scripts/hone/shaping.lua has what can be
-- composed with it.
local function clipped(x) return math.max(-1.5, math.min(1.5, x)) end
local rewards = {
    ["certain part"] = function(j) return j.passed and clipped(j.log_speedup.lower) or -2.5 end,
    ["best guess"] = function(j) return j.passed and clipped(j.log_speedup.estimate) or -2.5 end,
}
for arm, reward in pairs(rewards) do
    policy:load(run.folder .. "/sft")
    run:contrastive_rl {
        policy = policy, prompt = prompt, suite = suite, judge = judge, archive = known:branch(), shape = run:shaper(reward),
        steps = quick and 4 or 24, stage = arm,
    }
    evaluate(arm)
end
print(run:report())
