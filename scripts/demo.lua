-- The demo: a model of 0.9 million random weights learns to write C++ kernels in the three stages of CUDA-L1. Every answer on the way is
-- compiled, verified and timed for real in a confined process. Swap run:policy for run:policy("http", { model = "openai/..." }): prompts and
-- presets follow, the gradient stages say that they pass, and what is left is search.
local hone = require "hone"
local report = require "hone.report"
local shaping = require "hone.shaping"

local quick = hone.settings("quick", false)
local limit = hone.settings("tasks", 0)                         -- 0: all of core_tasks.lua
local trials = hone.settings("trials", quick and 24 or 32)      -- of the teacher for each task
local keep = hone.settings("keep", quick and 12 or 16)
local epochs = hone.settings("epochs", quick and 24 or 32)
local rounds = hone.settings("rounds", quick and 2 or 3)
local steps = hone.settings("steps", quick and 16 or 30)
local group = hone.settings("group", 8)
local answers = hone.settings("answers", quick and 4 or 8)      -- to each task, in an evaluation

local run = hone.run { name = "demo", seed = hone.settings("seed", 1) }
local policy = run:policy("torch-lm", { model = "tiny", vocabulary = 768 })
local verifier, timer, reference = run:verifier("cpp"), run:timer("wall"), run:reference("torch")
local judge = run:judge { verifier = verifier, timer = timer, reference = reference, seconds = 0.03, precision = 0.1 }
local fresh = run:judge { verifier = verifier, timer = timer, reference = reference, seconds = 0.03, precision = 0.1, refresh = 1 }
local again = run:judge { verifier = verifier, timer = timer, reference = reference, refresh = 1 }
local suite = run:suite("cpu-basics", { only = require "core_tasks", limit = limit })
local auxiliary = run:suite("cpu-basics", { role = "auxiliary" })
local teacher = run:policy("template")

local corpus = run:collect { teacher = teacher, suite = suite, judge = judge, trials = trials, keep = keep, row = "template teacher" }
run:collect { teacher = teacher, suite = auxiliary, judge = judge, trials = 3, keep = 2, into = corpus }

local function evaluate(row, n)
    run:evaluate {
        policy = policy, suite = suite, judge = fresh, again = again, row = row, group = n or answers, corpus = corpus,
    }
end

evaluate("random init", 2)
run:sft { policy = policy, corpus = corpus, epochs = epochs, balance = keep }
evaluate "SFT"
run:self_supervised { policy = policy, suite = suite, judge = judge, corpus = corpus, rounds = rounds }
evaluate "SFT + self-supervised"
run:contrastive_rl {
    policy = policy, suite = suite, auxiliary = auxiliary, judge = judge, steps = steps, group = group,
    exemplar_share = 0.5, shape = shaping.published(run),
}
evaluate "all three"

print(run:report())
print(report.comparison(run, again, report.most_gained(run, suite, corpus), corpus))
