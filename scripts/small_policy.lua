-- The three stages with a language model that was trained by others: SmolLM2-135M-Instruct, an adapter (LoRA) of which learns. On two cores
-- two tasks take a quarter of an hour; on a GPU twelve tasks of gpu-basics: --set device=cuda.
--
--   ./dev model smollm2 && ./dev hone run scripts/small_policy.lua [--set seed=2] [--set model=FOLDER_OR_GGUF]
local hone = require "hone"
local shaping = require "hone.shaping"

local device = hone.settings("device", "cpu")
local on_gpu = device ~= "cpu"
local model, rank = hone.settings("model", "smollm2"), hone.settings("lora", 16)
local limit = hone.settings("tasks", on_gpu and 12 or 2)
local trials, keep = hone.settings("trials", 16), hone.settings("keep", 6) -- of the teacher for each task
local epochs = hone.settings("epochs", 20)
local rounds, steps = hone.settings("rounds", 1), hone.settings("steps", on_gpu and 20 or 4)
local group, answers = hone.settings("group", on_gpu and 8 or 4), hone.settings("answers", 4)
local max_tokens, lr = hone.settings("max_tokens", on_gpu and 640 or 320), hone.settings("lr", 1e-3) -- CUDA's launch plans are answered too
local benches = hone.settings("benches", on_gpu and 2 or 1) -- of each of two judges; together they have 64 GB on a GPU

local run = hone.run { name = "small-policy", seed = hone.settings("seed", 1) }
local policy = run:policy("torch-lm", { model = model, lora = rank, device = device, dtype = on_gpu and "bfloat16" or "float32" })
local parts = on_gpu and { suite = "gpu-basics", verifier = "cuda", timer = "cuda-events", tasks = "core_gpu_tasks" }
    or { suite = "cpu-basics", verifier = "cpp", timer = "wall", tasks = "core_tasks" }
local verifier, timer, reference = run:verifier(parts.verifier), run:timer(parts.timer), run:reference("torch")
local function judge_with(refresh)
    return run:judge {
        verifier = verifier, timer = timer, reference = reference, seconds = 0.03, precision = 0.1, refresh = refresh, benches = benches,
        pool_mb = on_gpu and 16000 or nil,
    }
end
local judge, fresh = judge_with(), judge_with(1)
local suite = run:suite(parts.suite, { only = require(parts.tasks), limit = limit })

-- Short, and answered by the program alone: the stages' own prompt has some 1,500 tokens, which two cores would work on for most of the time.
local prompt = run:prompt(function(task, exemplars)
    local text = task.statement .. "\n\nWrite " .. task.brief.prototype .. "\n"
    for _, e in ipairs(exemplars or {}) do
        local plan = (e.plan or "") ~= "" and "\n```lua\n" .. e.plan or ""
        text = text .. ("\nThis program is %.2f times as fast as the reference:\n%s%s\n"):format(e.speedup.estimate, e.code, plan)
    end
    return { { role = "user", text = text }, fenced = false }
end)

local function evaluate(row)
    run:evaluate { policy = policy, prompt = prompt, suite = suite, judge = fresh, row = row, group = answers, max_tokens = max_tokens }
end

local corpus = run:collect { teacher = run:policy("template"), suite = suite, judge = judge, trials = trials, keep = keep, row = "template teacher" }
evaluate "as it came"
run:sft { policy = policy, prompt = prompt, corpus = corpus, epochs = epochs, batch = 4, lr = lr, exemplars = 0 }
evaluate "SFT"
run:self_supervised {
    policy = policy, prompt = prompt, suite = suite, judge = judge, corpus = corpus, rounds = rounds, group = group, exemplars = "none", lr = lr,
    max_tokens = max_tokens,
}
evaluate "SFT + self-supervised"
run:contrastive_rl {
    policy = policy, prompt = prompt, suite = suite, judge = judge, steps = steps, group = group, shape = shaping.published(run),
    lr = lr / 4, max_tokens = max_tokens,
}
evaluate "all three"
print(run:report())
