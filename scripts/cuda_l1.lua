-- The pipeline of CUDA-L1 (arXiv 2507.14111) with its own numbers where it gives them: six teachers with 20 trials and 2 kept programs for
-- each task, fine-tuning, REINFORCE on successes, then GRPO on smoothed speed-ups with two scored programs in the prompt. What the paper
-- leaves open (learning rates, group size, steps, bucket width) are settings here.
--
--   hone run scripts/cuda_l1.lua --set policy=torch-lm --set model=FOLDER --set teachers=openai/gpt-4o,anthropic/claude-3-7-sonnet
local hone = require "hone"
local exemplars = require "hone.exemplars"
local shaping = require "hone.shaping"

local policy_id, model = hone.settings("policy", "torch-lm"), hone.settings("model", "tiny")
local teacher_models = hone.settings("teachers", "")
local suite_name, device = hone.settings("suite", "cpu-basics"), hone.settings("device", "cpu")
if device ~= "cpu" and device ~= "cuda" then error(("--set device=%s: no such device; devices: cpu, cuda"):format(device), 0) end
local rounds, steps, group = hone.settings("rounds", 2), hone.settings("steps", 100), hone.settings("group", 8)
local lr, max_tokens, answers = hone.settings("lr", 1e-6), hone.settings("max_tokens", 8192), hone.settings("answers", 4)
local bucket_width, bucket_temperature = hone.settings("bucket.width", 0.25), hone.settings("bucket.temperature", 1.0)

local run = hone.run { name = "cuda-l1", seed = hone.settings("seed", 1) }
local policy = run:policy(policy_id, { model = model })
local prompt = run:prompt("contrastive")
local parts = device == "cuda" and { verifier = "cuda", timer = "cuda-events" } or { verifier = "cpp", timer = "wall" }
local verifier, timer, reference = run:verifier(parts.verifier), run:timer(parts.timer), run:reference("torch")
local judge = run:judge { verifier = verifier, timer = timer, reference = reference }
local fresh = run:judge { verifier = verifier, timer = timer, reference = reference, refresh = 1 } -- takes every timing anew
local suite = run:suite(suite_name)

local teachers = {}
for name in teacher_models:gmatch("[^,]+") do teachers[#teachers + 1] = run:policy("http", { model = name }) end

local function evaluate(row)
    run:evaluate { policy = policy, prompt = prompt, suite = suite, judge = fresh, row = row, group = answers, max_tokens = max_tokens }
end

evaluate "base model"
local corpus
if #teachers > 0 then
    corpus = run:collect {
        teacher = teachers, suite = suite, judge = judge, prompt = prompt, trials = 20, keep = 2, max_tokens = max_tokens,
    }
    run:sft { policy = policy, prompt = prompt, corpus = corpus, epochs = 2, batch = 8, lr = lr, exemplars = 0, adapt = false }
    evaluate "SFT"
end
run:self_supervised { -- only successes are learnt from, speed is ignored, no baseline
    policy = policy, prompt = prompt, suite = suite, judge = judge, corpus = corpus, rounds = rounds, group = group, exemplars = "none",
    epochs = 1, cap = 1, lr = lr, max_tokens = max_tokens,
}
evaluate "SFT + self-supervised"
run:contrastive_rl {
    policy = policy, prompt = prompt, suite = suite, judge = judge, steps = steps, group = group, preset = "cuda_l1", regulariser = 0.0,
    shape = shaping.smoothed(run:shaper("cuda-l1"), { failures = true }), exemplars = exemplars.bucket(bucket_width, bucket_temperature),
    lr = lr, max_tokens = max_tokens,
}
evaluate "all three"
print(run:report())
