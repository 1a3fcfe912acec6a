-- All stages on the fake device with the bigram policy: time is virtual, so every number repeats.
local hone = require "hone"
local report = require "hone.report"
local test = require "harness"
local tests = {}

local function setting()
    local run = test.run { seed = 7 }
    local it = { run = run, prompt = run:prompt "compact", judge = test.judge(run), suite = run:suite "fake", teacher = run:policy "template" }
    it.corpus = run:collect { teacher = it.teacher, suite = it.suite, judge = it.judge, trials = 12, keep = 6, row = "teacher" }
    return it
end

local function evaluate(it, policy, row)
    return it.run:evaluate {
        policy = policy, prompt = it.prompt, suite = it.suite, judge = it.judge, row = row, group = 12, corpus = it.corpus, max_tokens = 32,
    }
end

function tests.three_stages()
    local it = setting()
    local run, policy = it.run, it.run:policy("bigram")
    test.is(#it.corpus.items > 0 and #it.corpus.items <= #it.corpus.samples, "the corpus is what passed")
    for _, item in ipairs(it.corpus.items) do test.is(item.passed and item.code, "only verified programs are kept") end

    local before = evaluate(it, policy, "random init")
    run:sft {
        policy = policy, prompt = it.prompt, corpus = it.corpus, epochs = 6, batch = 4, lr = 0.5, warm_up = 1, weight_decay = 0.0, balance = 6,
    }
    local fine_tuned = evaluate(it, policy, "SFT")
    test.is(fine_tuned.success > before.success + 0.2, "fine-tuning raises success")

    local done = run:self_supervised {
        policy = policy, prompt = it.prompt, suite = it.suite, judge = it.judge, corpus = it.corpus, rounds = 2, group = 8, batch = 4, lr = 0.2,
        weight_decay = 0.0, max_tokens = 32,
    }
    test.is(done.updates > 0)
    local own = evaluate(it, policy, "self-supervised")
    local found = run:contrastive_rl {
        policy = policy, prompt = it.prompt, suite = it.suite, judge = it.judge, steps = 12, group = 12, lr = 0.2, max_tokens = 32,
        exemplar_share = 0.5,
    }
    test.equal(found.answers, 12 * 12 * #it.suite)
    local all = evaluate(it, policy, "all three")
    test.is(all.typical > own.typical, "reinforcement raises the typical speed")
    test.is(run:report():find("all three", 1, true), "the table has its rows")
    test.is(report.comparison(run, it.judge, report.most_gained(run, it.suite, it.corpus), it.corpus):find("best program found", 1, true))
end

function tests.the_papers_preset_with_a_reference_policy()
    local it = setting()
    local policy = it.run:policy("bigram")
    it.run:sft { policy = policy, prompt = it.prompt, corpus = it.corpus, epochs = 2, batch = 4, lr = 0.5, warm_up = 1, weight_decay = 0.0 }
    local found = it.run:contrastive_rl {
        policy = policy, prompt = it.prompt, suite = it.suite, judge = it.judge, steps = 2, group = 6, lr = 0.1, max_tokens = 32, preset = "cuda_l1",
        shaper = it.run:shaper("cuda-l1"), exemplars = "island", regulariser = 0.0, noise_floor = 0.0,
    }
    test.is(next(found.best), "programs were found")
end

function tests.a_frozen_policy_passes_the_gradient_stages_and_searches()
    local it = setting()
    test.equal(it.run:sft { policy = it.teacher, prompt = it.prompt, corpus = it.corpus }, nil)
    local found = it.run:contrastive_rl {
        policy = it.teacher, prompt = it.prompt, suite = it.suite, judge = it.judge, steps = 2, group = 4, exemplars = "random",
    }
    test.is(next(found.best), "search finds programs")
    local fine, text = pcall(function() it.run:sft { policy = it.teacher, prompt = it.prompt, corpus = it.corpus, train = true } end)
    test.is(not fine and tostring(text):find('policy "template" cannot learn', 1, true), tostring(text))
end

function tests.a_strategy_that_is_misspelt_is_named()
    local it = setting()
    local fine, text = pcall(function()
        it.run:contrastive_rl { policy = it.teacher, prompt = it.prompt, suite = it.suite, judge = it.judge, exemplars = "buckets" }
    end)
    test.is(not fine and tostring(text):find('no exemplar strategy "buckets"; there are: bucket, island, none, random', 1, true), tostring(text))
end

function tests.rows_count_failures()
    local suite = { { name = "x" }, { name = "y" } }
    local function sample(task, log) return { task = task, passed = log ~= nil, speedup = log, artifact = tostring(log) } end
    local samples = { sample(suite[1], math.log(2)), sample(suite[1], math.log(0.5)), sample(suite[1]), sample(suite[2]) }
    local row = report.row(samples, suite, { x = math.log(3) }, { [tostring(math.log(2))] = true })
    local function near(got, wanted) test.is(math.abs(got - wanted) < 1e-9, got .. " instead of " .. wanted) end
    test.equal(row.samples, 4)
    near(row.success, 0.5)
    near(row.typical, 1)                    -- of x alone: sqrt(2 x 0.5)
    near(row.fallback, 2 ^ (1 / 6))         -- x: 2, 1, 1; y: 1
    near(row.best_of_n, math.sqrt(3))       -- x measured again, y keeps the reference
    near(row.mean, 1.25)
    near(row.novel, 0.5)
    test.equal(row.above_1_01, 1)
end

function tests.a_difference_keeps_every_line()
    test.equal(report.diff("a\nb\nc\n", "a\nx\nc\n"), "  a\n- b\n+ x\n  c")
end

return tests
