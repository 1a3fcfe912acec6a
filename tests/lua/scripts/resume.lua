-- The stages on the fake device, small: what tests/unit/lua/resume_test.cpp kills and resumes. --set long=STAGE gives that stage work
-- enough to be killed many times before it ends.
local hone = require "hone"
local shaping = require "hone.shaping"
local long = hone.settings("long", "none")
local function size(stage, short, many) return stage == long and many or short end

local run = hone.run { name = "resume", seed = 7, checkpoint = 4 }
local policy, prompt = run:policy("bigram"), run:prompt("compact")
local judge = run:judge { verifier = run:verifier("fake"), timer = run:timer("virtual"), reference = run:reference("lua"), seed = "7" }
local suite = run:suite("fake", { only = { "square", "axpy" } })
local corpora = {}
for i = 1, size("collect", 1, 30) do
    corpora[i] = run:collect { teacher = run:policy("template"), suite = suite, judge = judge, trials = 8, keep = 5 }
end
run:sft {
    policy = policy, prompt = prompt, corpus = corpora[1], epochs = size("sft", 5, 50), batch = 4, lr = 0.5, warm_up = 1,
    weight_decay = 0.0, balance = 4, adapt = long ~= "collect",  -- then the archive has words that the first corpus has not
}
run:self_supervised {
    policy = policy, prompt = prompt, suite = suite, judge = judge, corpus = corpora[1], rounds = size("self-supervised", 1, 10), group = 6,
    batch = 4, lr = 0.2, max_tokens = 16, weight_decay = 0.0,
}
run:contrastive_rl {
    policy = policy, prompt = prompt, suite = suite, judge = judge, steps = size("contrastive-rl", 2, 20), group = 6, lr = 0.2,
    max_tokens = 16, preset = "cuda_l1", exemplars = "random",
    shape = shaping.beyond_noise(shaping.smoothed(run:shaper("cuda-l1"), { failures = true }), 0.3),
}
for i = 1, size("evaluate", 1, 30) do
    run:evaluate {
        policy = policy, prompt = prompt, suite = suite, judge = judge, row = "evaluate " .. i, group = 6, corpus = corpora[1],
        max_tokens = 16,
    }
end
