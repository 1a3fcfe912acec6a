-- An experiment of one page: is it better to reward what is certain of a speed-up, or its best guess? Both start from the same checkpoint.
--
--   hone run examples/own_reward.lua --set steps=12
local hone = require "hone"

local steps = hone.settings("steps", 12)
local run = hone.run { name = "own-reward" }
local policy, prompt = run:policy("torch-lm", { model = "tiny" }), run:prompt("compact", { exemplars = 2 })
local verifier, timer, reference = run:verifier("cpp"), run:timer("wall"), run:reference("torch")
local judge = run:judge { verifier = verifier, timer = timer, reference = reference }
local fresh = run:judge { verifier = verifier, timer = timer, reference = reference, refresh = 1 } -- takes every timing anew
local suite = run:suite("cpu-basics", { only = { "softmax", "layer_norm", "matmul", "transpose" } })

local teacher = run:policy("template")
local corpus = run:collect { teacher = teacher, suite = suite, judge = judge, trials = 40, keep = 24, row = "template teacher" }
run:sft { policy = policy, prompt = prompt, corpus = corpus, epochs = 24 }
policy:save(run.folder .. "/sft")

-- A shaper sees one judgement (`speedup` is a ratio, `log_speedup` its natural logarithm) and returns a reward, or nil to leave the answer out. scripts/hone/shaping.lua
-- has what can be composed with it.
local shapes = {
    ["certain part"] = run:shaper(function(j) return j.passed and math.max(-1.5, math.min(1.5, j.log_speedup.lower)) or -2.5 end),
    ["best guess"] = run:shaper(function(j) return j.passed and math.max(-1.5, math.min(1.5, j.log_speedup.estimate)) or -2.5 end),
}
for name, shape in pairs(shapes) do
    policy:load(run.folder .. "/sft")
    run:contrastive_rl {
        policy = policy, prompt = prompt, suite = suite, judge = judge, steps = steps, shape = shape, stage = name,
    }
    run:evaluate { policy = policy, prompt = prompt, suite = suite, judge = fresh, row = name, corpus = corpus }
end
print(run:report())
