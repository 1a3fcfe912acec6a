-- All stages on the fake device with the bigram policy: seconds, and every number is repeatable because time is virtual.
-- Run: hone run tests/lua/stages_test.lua
local hone = require "hone"
local report = require "hone.report"

local run = hone.run { seed = 7 }
local policy, prompt = run:policy("bigram"), run:prompt("compact")
local judge = run:judge { verifier = run:verifier("fake"), timer = run:timer("virtual"), reference = run:reference("lua"), seed = "7" }
local suite = run:suite "fake"
local held_out = run:suite("fake", { role = "held-out" })

local corpus = run:collect { teacher = run:policy("template"), suite = suite, judge = judge, trials = 12, keep = 6, row = "teacher" }
assert(#corpus.items > 0, "the teacher's programs pass")
for _, item in ipairs(corpus.items) do assert(item.passed and item.code, "only verified programs are kept") end

local function evaluate(row, tasks)
    return run:evaluate {
        policy = policy, prompt = prompt, suite = tasks or suite, judge = judge, row = row, group = 12, corpus = corpus, max_tokens = 32,
    }
end

local before = evaluate "random init"
run:sft { policy = policy, prompt = prompt, corpus = corpus, epochs = 6, batch = 4, lr = 0.5, warm_up = 1, weight_decay = 0.0, balance = 6 }
local after = evaluate "SFT"
assert(after.success > before.success, "fine-tuning raises success")
local done = run:self_supervised {
    policy = policy, prompt = prompt, suite = suite, judge = judge, corpus = corpus, rounds = 2, group = 8, batch = 4, lr = 0.2,
    max_tokens = 32, weight_decay = 0.0,
}
assert(done.updates > 0)
evaluate "self-supervised"
for _, preset in ipairs { "hone", "cuda_l1" } do
    local searched = run:contrastive_rl {
        policy = policy, prompt = prompt, suite = suite, judge = judge, steps = 3, group = 8, lr = 0.2, max_tokens = 32,
        preset = preset, stage = preset, shaper = preset == "cuda_l1" and run:shaper("cuda-l1") or nil,
        exemplars = preset == "hone" and "bucket" or "island",
    }
    assert(searched.answers == 3 * 8 * #suite)
end
evaluate "all three"
evaluate("held out", held_out)

-- A frozen policy: the gradient stages pass, contrastive RL searches.
local frozen = run:policy(function(request) return request.task:template(request.rng) end)
assert(run:sft { policy = frozen, prompt = prompt, corpus = corpus } == nil)
local found = run:contrastive_rl {
    policy = frozen, prompt = prompt, suite = suite, judge = judge, steps = 2, group = 4, exemplars = "random", stage = "search",
}
assert(next(found.best), "search finds programs")
local fine, text = pcall(function() run:sft { policy = frozen, prompt = prompt, corpus = corpus, train = true } end)
assert(not fine and text:find("cannot learn", 1, true), "train = true refuses")

print(report.comparison(run, judge, report.most_gained(run, suite, corpus), corpus))
print(run:report())
