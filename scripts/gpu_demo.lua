-- The three stages on a GPU, policy and judge sharing it: a model of 0.9 million random weights learns to write CUDA kernels with their launch
-- plans, each judged on the device. Six to eight minutes on one H200 with 16 cores. Ends with the stage table, what all three stages gained
-- over fine-tuning alone with its interval over the tasks, and where the wall time went. device=cpu: only the model stays off the GPU.
--
--   hone run scripts/gpu_demo.lua [--set device=cpu] [--set seed=2] [--set steps=32]
local hone = require "hone"
local gains = require "hone.gains"
local report = require "hone.report"
local shaping = require "hone.shaping"

local device, limit = hone.settings("device", "cuda"), hone.settings("tasks", 0)      -- 0: all twelve
local trials, keep = hone.settings("trials", 28), hone.settings("keep", 16)           -- of the teacher for each task
local epochs, rounds, steps = hone.settings("epochs", 50), hone.settings("rounds", 2), hone.settings("steps", 24)
local group, answers = hone.settings("group", 8), hone.settings("answers", 8)         -- to each task, in a step and in an evaluation
local max_tokens, benches = hone.settings("max_tokens", 320), hone.settings("benches", 1) -- a program of the teacher has 50 to 220 tokens

local run = hone.run { name = "gpu-demo", seed = hone.settings("seed", 1) }
local policy = run:policy("torch-lm", { model = "tiny", vocabulary = 1024, device = device })
local prompt = run:prompt("compact", { exemplars = 2 })
local verifier, timer, reference = run:verifier("cuda"), run:timer("cuda-events"), run:reference("torch")
local function judge_with(options)
    local o = { verifier = verifier, timer = timer, reference = reference, benches = benches, pool_mb = 16000, deadline = 20 }
    for key, value in pairs(options) do o[key] = value end
    return run:judge(o)
end
local judge, fresh = judge_with { seconds = 0.05, precision = 0.05 }, judge_with { seconds = 0.15, precision = 0.02, refresh = 1 }
local suite = run:suite("gpu-basics", { only = require "core_gpu_tasks", limit = limit })

local corpus = run:collect {
    teacher = run:policy("template"), suite = suite, judge = judge, trials = trials, keep = keep, row = "template teacher",
}

local function evaluate(row, n)
    local _, samples = run:evaluate {
        policy = policy, prompt = prompt, suite = suite, judge = fresh, row = row, group = n or answers, corpus = corpus,
        max_tokens = max_tokens,
    }
    return samples
end

evaluate("random init", 1)
run:sft { policy = policy, prompt = prompt, corpus = corpus, epochs = epochs, balance = keep }
local tuned = evaluate "SFT"
run:self_supervised {
    policy = policy, prompt = prompt, suite = suite, judge = judge, corpus = corpus, rounds = rounds, group = group, max_tokens = max_tokens,
}
evaluate "SFT + self-supervised"
run:contrastive_rl {
    policy = policy, prompt = prompt, suite = suite, judge = judge, steps = steps, group = group, exemplar_share = 0.5, max_tokens = max_tokens,
    shape = shaping.published(run),
}
local all = evaluate "all three"

print(run:report())
print(gains.between("all three against SFT", all, tuned, suite))
print(gains.shares(run, device))
print(report.comparison(run, fresh, report.most_gained(run, suite, corpus), corpus))
