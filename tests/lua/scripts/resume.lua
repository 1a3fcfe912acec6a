-- The stages on the fake device, small: what tests/unit/resume_test.cpp kills and resumes.
local hone = require "hone"
local run = hone.run { name = "resume", seed = 7, checkpoint = 4 }
local policy, prompt = run:policy("bigram"), run:prompt("compact")
local judge = run:judge { verifier = run:verifier("fake"), timer = run:timer("virtual"), reference = run:reference("lua"), seed = "7" }
local suite = run:suite("fake", { only = { "square", "axpy" } })
local corpus = run:collect { teacher = run:policy("template"), suite = suite, judge = judge, trials = 8, keep = 5 }
run:sft { policy = policy, prompt = prompt, corpus = corpus, epochs = 5, batch = 4, lr = 0.5, warm_up = 1, weight_decay = 0.0, balance = 4 }
run:self_supervised {
    policy = policy, prompt = prompt, suite = suite, judge = judge, corpus = corpus, rounds = 2, group = 6, batch = 4, lr = 0.2,
    max_tokens = 16, weight_decay = 0.0,
}
run:contrastive_rl {
    policy = policy, prompt = prompt, suite = suite, judge = judge, steps = 4, group = 6, lr = 0.2, max_tokens = 16, preset = "cuda_l1",
    shaper = run:shaper("cuda-l1"), exemplars = "random", kl = 0.01,
}
run:evaluate {
    policy = policy, prompt = prompt, suite = suite, judge = judge, row = "evaluate", group = 8, corpus = corpus, max_tokens = 16,
}
