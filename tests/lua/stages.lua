-- All stages on the fake device with the bigram policy: time is virtual, so every number repeats.
local hone = require "hone"
local report = require "hone.report"
local shaping = require "hone.shaping"
local test = require "harness"
local tests = {}

local function evaluate(it, policy, row)
    return it.run:evaluate {
        policy = policy, prompt = it.prompt, suite = it.suite, judge = it.judge, row = row, group = 12, corpus = it.corpus, max_tokens = 32,
    }
end

function tests.three_stages()
    local it = test.stage_setting()
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
        policy = policy, prompt = it.prompt, suite = it.suite, judge = it.judge, steps = 24, group = 12, lr = 0.2, max_tokens = 32,
        exemplar_share = 0.5,
    }
    test.is(next(found.best), "programs were found")
    local all = evaluate(it, policy, "all three")
    test.is(all.typical > own.typical, "reinforcement raises the typical speed")
    test.is(run:report():find("all three", 1, true), "the table has its rows")
    test.is(report.comparison(run, it.judge, report.most_gained(run, it.suite, it.corpus), it.corpus):find("best program found", 1, true))
end

function tests.the_papers_preset_with_a_reference_policy()
    local it = test.stage_setting()
    local policy = it.run:policy("bigram")
    it.run:sft { policy = policy, prompt = it.prompt, corpus = it.corpus, epochs = 2, batch = 4, lr = 0.5, warm_up = 1, weight_decay = 0.0 }
    local found = it.run:contrastive_rl {
        policy = policy, prompt = it.prompt, suite = it.suite, judge = it.judge, steps = 2, group = 6, lr = 0.1, max_tokens = 32, preset = "cuda_l1",
        shape = shaping.smoothed(it.run:shaper("cuda-l1"), { failures = true }), exemplars = "island", regulariser = 0.0,
    }
    test.is(next(found.best), "programs were found")
end

function tests.a_frozen_policy_passes_the_gradient_stages_and_searches()
    local it = test.stage_setting()
    test.equal(it.run:sft { policy = it.teacher, prompt = it.prompt, corpus = it.corpus }, nil)
    local found = it.run:contrastive_rl {
        policy = it.teacher, prompt = it.prompt, suite = it.suite, judge = it.judge, steps = 2, group = 4, exemplars = "random",
    }
    test.is(next(found.best), "search finds programs")
    local fine, text = pcall(function() it.run:sft { policy = it.teacher, prompt = it.prompt, corpus = it.corpus, train = true } end)
    test.is(not fine and tostring(text):find('policy "template" cannot learn', 1, true), tostring(text))
end

-- A learner that cannot learn says so: nothing is compared, or no update comes to anything.
function tests.a_search_gives_all_that_it_judged()
    local it = test.stage_setting()
    local found = it.run:contrastive_rl {
        policy = it.teacher, suite = it.suite, judge = it.judge, steps = 2, group = 3, exemplars = "island", archive = it.run.archive:branch(),
    }
    test.equal(#found.samples, 2 * 3 * #it.suite)
end

function tests.a_stage_that_learns_nothing_says_so()
    local it = test.stage_setting()
    local run, policy, notes = it.run, it.run:policy("bigram"), {}
    run:sft { policy = policy, prompt = it.prompt, corpus = it.corpus, epochs = 2, batch = 4, lr = 0.5, warm_up = 1, weight_decay = 0.0 }
    local function reinforce(given)
        given.policy, given.prompt, given.suite, given.judge, given.max_tokens, given.lr = policy, it.prompt, it.suite, it.judge, 32, 0.1
        run:contrastive_rl(given)
    end
    local learner = setmetatable({ step = function(_, stage, metrics)
        notes[#notes + 1] = metrics.note
        run:step(stage, metrics)
    end }, { __index = function(_, name)
        local member = run[name]
        return type(member) == "function" and function(_, ...) return member(run, ...) end or member
    end })
    require "hone.contrastive_rl"(learner, {
        policy = policy, prompt = it.prompt, suite = it.suite, judge = it.judge, max_tokens = 32, lr = 0.1, steps = 4, group = 4,
        shape = run:shaper(function() return 1 end),
    })
    test.equal(#notes, 1)
    test.is(notes[1]:find("no group taught anything in 3 steps", 1, true), notes[1])
    notes = {}
    require "hone.contrastive_rl"(learner, {
        policy = policy, prompt = it.prompt, suite = it.suite, judge = it.judge, max_tokens = 32, lr = 0.1, steps = 2, group = 4,
        shape = run:shaper(function() end),
    })
    test.equal(notes, { "the shape left out every answer of a step (" .. 4 * #it.suite .. "): none has a reward (NaN of a plugin, nil or false "
        .. "in Lua)" })
    test.fails('run:contrastive_rl: option "group": advantage "dr_grpo" compares the answers of a group, and one has nothing to be compared '
        .. 'with; give group = 2 or more, or preset = "reinforce"', function() reinforce { group = 1 } end)
    test.fails('run:contrastive_rl: option "temperature": at 0 all answers of a group are one, and nothing is compared; give 1.0',
        function() reinforce { temperature = 0 } end)
    reinforce { group = 1, steps = 1, preset = "reinforce" }
    test.fails('policy "bigram": 5 updates in a row are skipped: its gradient is not finite; the learning rate is too high most often: lower '
        .. "lr, and begin another run with --new", function()
        run:sft { policy = policy, prompt = it.prompt, corpus = it.corpus, updates = 50, batch = 4, lr = 1e300, adapt = false }
    end)
end

-- A filter that stops an answer says nothing about the model: it is no wrong program.
function tests.a_refusal_is_not_scored()
    local it = test.stage_setting()
    local path = test.folder() .. "/refusals.jsonl"
    local file = assert(io.open(path, "w"))
    file:write('{"task": "square", "text": "7 2 2"}\n',
        '{"task": "square", "text": "openai/m: a content filter stopped the answer", "finish": "refusal"}\n', '{"task": "square", "text": "7 2 3"}\n')
    file:close()
    local task = it.run:suite("fake", { only = "square" })[1]
    local prompts = { { task = task, messages = { { role = "user", text = "square" }, fenced = false } } }
    local group = it.run:rollout {
        policy = it.run:policy("replay", { file = path }), judge = it.judge, prompts = prompts, group = 3, stage = "refusals",
    }[1]
    local refused = group.members[2].judgement
    test.equal({ refused.verdict, refused.reason, refused.scorable },
        { "INFRASTRUCTURE", "the policy gave no answer: openai/m: a content filter stopped the answer", false })
    test.is(group.members[1].judgement.passed and group.members[3].judgement.passed)
end

-- Prompt, length and learning rate follow from what the policy says it speaks; what is given stays.
function tests.presets_follow_the_policy()
    local run = test.run()
    local learning = require "hone.learning"
    local function preset(policy, given)
        given = given or {}
        given.policy = policy
        local o = learning.options(run, given, {
            policy = hone.required, prompt = learning.prompt, max_tokens = learning.max_tokens,
            lr = learning.by_policy { compact = 3e-3, chat = 1e-5 }, adapt = learning.by_policy { compact = true, chat = false },
        }, "run:own")
        return { o.max_tokens, o.lr, o.adapt, run:write(o.prompt, run:suite("fake")[1], {}, "x", test.judge(run)).fenced }
    end
    local tiny, remote = run:policy("bigram"), run:policy("http", { model = "vllm/m" })
    test.equal(preset(tiny), { 256, 3e-3, true, false })
    test.equal(preset(remote), { 8192, 1e-5, false, true })
    test.equal(preset(run:policy(function() return "7" end)), { 8192, 1e-5, false, false })
    test.equal(preset(remote, { max_tokens = 7, lr = 1.0, adapt = true, prompt = test.prompt(run) }), { 7, 1.0, true, false })
end

function tests.presets_follow_the_model()
    local learning = require "hone.learning"
    local lr = learning.by_policy { compact = 3e-3, chat = 1e-5 }
    test.equal(learning.preset(nil, "lr", lr, { speaks = "chat", lora = 16.0 }), 10 * 1e-5)
    test.equal(learning.preset(nil, "lr", lr, { speaks = "chat", lora = 0 }), 1e-5)
    test.equal(learning.preset(nil, "max_tokens", learning.max_tokens, { speaks = "chat", context = 8193.0 }), 4096)
    test.equal(learning.preset(nil, "max_tokens", learning.max_tokens, { speaks = "chat", context = 131072.0 }), 8192)
end

function tests.a_prompt_in_marks_that_the_policy_does_not_know_is_refused()
    local it = test.stage_setting()
    local remote = it.run:policy("http", { model = "vllm/m" })
    local why = ': the prompt is written in the marks of "compact", which policy "http" does not know; write prompt = '
        .. 'run:prompt("contrastive"), or leave prompt out'
    test.fails("run:evaluate" .. why, function()
        it.run:evaluate { policy = remote, prompt = it.prompt, suite = it.suite, judge = it.judge, row = "x" }
    end)
    test.fails("run:collect" .. why, function()
        it.run:collect { teacher = remote, prompt = it.prompt, suite = it.suite, judge = it.judge }
    end)
end

-- A run of several judges: a stage's own says what an answer must look like, also where a corpus is learnt from.
function tests.a_stage_is_briefed_by_its_own_judge()
    local it = test.stage_setting()
    local other, policy, briefed = test.judge(it.run), it.run:policy("bigram"), {}
    local proxy = setmetatable({ write = function(_, prompt, task, shown, name, judge)
        briefed[#briefed + 1] = judge == other
        return it.run:write(prompt, task, shown, name, judge)
    end }, { __index = function(_, name)
        local member = it.run[name]
        return type(member) == "function" and function(_, ...) return member(it.run, ...) end or member
    end })
    local corpus
    local function count(stage, given)
        given.prompt, briefed = it.prompt, {}
        corpus = require("hone." .. stage)(proxy, given) or corpus
        for _, own in ipairs(briefed) do test.is(own, stage .. " was briefed by another judge") end
        test.is(#briefed > 0, stage .. " wrote no prompt")
    end
    count("collect", { teacher = it.teacher, suite = it.suite, judge = other, trials = 12, keep = 6 })
    local items = corpus
    count("sft", { policy = policy, corpus = items, epochs = 1, batch = 4, lr = 0.5, warm_up = 1 })
    count("self_supervised", { policy = policy, suite = it.suite, judge = other, corpus = items, rounds = 1, group = 8, batch = 4, lr = 0.2, max_tokens = 32, replay = 1.0 })
    count("contrastive_rl", { policy = policy, suite = it.suite, judge = other, steps = 1, group = 4, lr = 0.1, max_tokens = 32 })
    count("evaluate", { policy = policy, suite = it.suite, judge = other, row = "x", group = 2, max_tokens = 32 })
end

function tests.a_stage_leaves_the_scripts_own_tickets_alone()
    local it = test.stage_setting()
    local task = it.run:suite("fake", { only = "square" })[1]
    local ticket = it.judge:submit(task, { code = "7 9 9" })
    it.run:evaluate { policy = it.teacher, prompt = it.prompt, suite = it.suite, judge = it.judge, row = "x", group = 4 }
    local with = report.comparison(it.run, it.judge, task, { items = {} })
    test.equal((it.judge:collect()), ticket)
    test.equal(with, report.comparison(it.run, it.judge, task, { items = {} }))
end

function tests.a_prompt_may_be_a_function_of_the_script()
    local it = test.stage_setting()
    local function prompt(task) return { { role = "user", text = task.spec }, fenced = false } end
    for stage, given in pairs { evaluate = { policy = it.teacher, row = "x", group = 1 }, contrastive_rl = { policy = it.teacher, steps = 1, group = 1 },
        collect = { teacher = it.teacher, trials = 1 }, self_supervised = { policy = it.run:policy("bigram"), rounds = 1, group = 1, max_tokens = 8 } } do
        given.suite, given.judge, given.prompt = it.suite, it.judge, prompt
        it.run[stage](it.run, given)
    end
end

function tests.a_number_of_exemplars_is_one()
    local it = test.stage_setting()
    for why, value in pairs { ["-1 is less than 0"] = -1, ["1.5 is no whole number"] = 1.5 } do
        test.fails('run:sft: option "exemplars": ' .. why, function() it.run:sft { policy = it.run:policy("bigram"), corpus = it.corpus, exemplars = value } end)
    end
end

-- A strategy may draw more than its prompt shows: the rest is nowhere told as shown.
function tests.only_the_exemplars_that_a_prompt_shows_count_as_shown()
    local it = test.stage_setting()
    local two = it.run:prompt("compact", { exemplars = 2 })
    local task = it.suite[1]
    local drawn = it.run.archive:find { task = task, limit = 3 }
    test.equal(#drawn, 3)
    test.equal(it.run:write(two, task, drawn).shown, { drawn[1].hash, drawn[2].hash })
    local titles = it.run:prompt(function(_, list) return { list[3].hash, shown = { list[3].hash } } end)
    test.equal(it.run:write(titles, task, drawn).shown, { drawn[3].hash })
end

-- What another stage had timed is a stored timing too.
function tests.a_stored_timing_is_not_measured_again()
    local run = test.run()
    local parts = { verifier = run:verifier "fake", timer = run:timer("virtual", { noise = 0.02 }), reference = run:reference "lua" }
    local judge = run:judge(parts)
    parts.refresh = 1
    local fresh, only = run:judge(parts), run:suite("fake", { only = "axpy" })
    local policy = run:policy(function() return "3 1 4" end)
    run:evaluate { policy = policy, suite = only, judge = judge, row = "first", group = 1 }
    local function row(again) return (run:evaluate { policy = policy, suite = only, judge = fresh, again = again, row = "again", group = 1 }) end
    test.equal({ row(judge).best_of_n or "stored", row(fresh).best_of_n and "anew" }, { "stored", "anew" })
end

function tests.a_strategy_that_is_misspelt_is_named()
    local it = test.stage_setting()
    local fine, text = pcall(function()
        it.run:contrastive_rl { policy = it.teacher, prompt = it.prompt, suite = it.suite, judge = it.judge, exemplars = "buckets" }
    end)
    test.is(not fine and tostring(text):find('no exemplar strategy "buckets"; there are: bucket, island, none, random', 1, true), tostring(text))
end

function tests.rows_count_failures()
    local suite = { { name = "x" }, { name = "y" } }
    local function sample(task, log)
        return { task = task, passed = log ~= nil, log_speedup = log, lower = log, artifact = tostring(log) }
    end
    local samples = { sample(suite[1], math.log(2)), sample(suite[1], math.log(0.5)), sample(suite[1]), sample(suite[2]) }
    local row = report.row(samples, suite, { x = math.log(3) }, { [tostring(math.log(2))] = true })
    local function near(got, wanted) test.is(math.abs(got - wanted) < 1e-9, got .. " instead of " .. wanted) end
    test.equal(row.samples, 4)
    near(row.success, 0.5)
    near(row.typical, 1)                    -- of x alone: sqrt(2 x 0.5)
    near(row.fallback, 2 ^ (1 / 6))         -- x: 2, 1, 1; y: 1
    near(row.best_of_n, math.sqrt(3))       -- x measured again, y keeps the reference
    near(row.shrinkage, 1 - 3 / 2)          -- x gained when it was measured again
    near(report.row(samples, suite, { x = math.log(1.5) }).shrinkage, 0.25)
    test.equal(report.row(samples, suite).shrinkage, nil)
    near(row.mean, 1.25)
    near(row.novel, 0.5)
    test.equal(row.above_1_01, 1)
end

-- A lost answer is no failure: it is in no mean, and its reason is told.
function tests.lost_answers_are_counted_apart()
    local suite = { { name = "x" }, { name = "y" } }
    local sample = { task = suite[1], passed = true, log_speedup = math.log(2), lower = math.log(2), artifact = "a" }
    local row = report.row({ sample }, suite, { x = math.log(2) }, nil, { "down for 3 s", "down for 4 s", "gone" })
    test.equal({ row.samples, row.lost, row.lost_reason, row.success }, { 1, 3, "down for 3 s", 1.0 })
    test.is(math.abs(row.fallback - 2) < 1e-9 and math.abs(row.best_of_n - 2) < 1e-9, "y, which nobody judged, says nothing")
    local none = report.row({}, suite, nil, nil, { "gone" })
    test.equal({ none.samples, none.lost, none.success or "-", none.typical or "-", none.fallback or "-" }, { 0, 1, "-", "-", "-" })
    test.equal(report.row({ sample }, suite, nil, nil, {}).lost, nil)
    test.equal(report.row({ sample }, suite, { x = false }).best_of_n, nil)
    test.equal(report.row({ sample }, suite).best_of_n, nil) -- nobody measured it again
    test.equal(report.row({ sample }, suite, {}).best_of_n, nil) -- the judge only had its timing
end

-- Samples that were compared with different things have all of these named.
function tests.a_row_names_each_baseline()
    local suite = { { name = "x" }, { name = "y" } }
    local function sample(task, baseline, unit)
        return { task = task, passed = true, log_speedup = 0, lower = 0, artifact = task.name, baseline = baseline, unit = unit }
    end
    local row = report.row({ sample(suite[1], "a"), sample(suite[2], "b", "J"), sample(suite[1], "a") }, suite)
    test.equal({ row.baseline, row.unit }, { "a and b", "J" })
end

-- Where the context ended an answer, more max_tokens would not help.
function tests.answers_that_fill_the_context_are_told_apart()
    test.equal(report.cut_note(4, 4, 8192, 4), "4 of 4 answers were cut before max_tokens = 8192: the model's context was full, or its server has a limit of its own; shorten the prompts, or raise that")
    test.equal(report.cut_note(4, 4, 96, 0), "4 of 4 answers were cut at max_tokens = 96; raise it")
    test.equal({ report.is_full(90, 96), report.is_full(96, 96), report.is_full(0, 96) }, { true, false, false })
end

-- One note hides no other: of a best that was not measured again it is told beside answers that hold no program.
function tests.a_row_has_all_of_its_notes()
    local run = test.run()
    local judge = run:judge { verifier = run:verifier "fake", timer = run:timer "virtual", reference = run:reference "lua" }
    local suite = run:suite("fake", { only = { "axpy", "square" } })
    local policy = run:policy(function(request) return request.task.name == "axpy" and request.member == 1 and "```fake\n3 1 4\n```" or "no program" end)
    local prompt = run:prompt "contrastive"
    local function evaluated(name) return (run:evaluate { policy = policy, prompt = prompt, suite = suite, judge = judge, row = name, group = 2 }) end
    evaluated "once"
    local note = evaluated("again").note
    test.is(note:find("hold no program", 1, true) and note:find("not measured again", 1, true), note)
end

-- The reference is not what times are compared with where the task names a program of its own.
function tests.the_baseline_is_named()
    local function named(word)
        return report.sample({ name = "x" }, { judgement = {
            scorable = true, passed = true, verdict = "PASSED", device = "cpu", reference = { id = "torch", options = { threads = 2 } },
            log_speedup = { estimate = 0, lower = 0 }, speedup = { baseline = word },
        } }).baseline
    end
    test.equal(named("program"), "the task's baseline_program")
    test.equal(named("reference"), "reference torch, 2 threads")
end

-- From a quarter on the row says that answers were cut, and where.
function tests.cut_answers_are_told()
    local suite = { { name = "x" } }
    local function row(cut, total)
        local samples = {}
        for i = 1, total do samples[i] = { task = suite[1], passed = false, cut = i <= cut } end
        local made = report.row(samples, suite, nil, nil, {}, 8192)
        return { made.cut or "none", made.note or "no note" }
    end
    test.equal(row(6, 8), { 6, "6 of 8 answers were cut at max_tokens = 8192; raise it" })
    test.equal(row(1, 8), { 1, "no note" })
    test.equal(row(0, 8), { "none", "no note" })
end

-- From a half on the row says that answers hold no program, and why.
function tests.answers_without_a_program_are_told()
    local suite = { { name = "x" } }
    local function note(...)
        local samples = {}
        for i, reason in ipairs { ... } do samples[i] = { task = suite[1], passed = false, no_program = reason ~= "" and reason or nil } end
        return report.row(samples, suite).note or "no note"
    end
    test.equal(note("no block", "longer than 1 MiB", "longer than 2 MiB", ""), "3 of 4 answers hold no program: longer than 1 MiB")
    test.equal(note("no block", "", ""), "no note")
end

-- A policy of Lua functions whose program "3 1 4 die" takes its bench with it: that answer is lost.
local function dying(run, text)
    local count = 0
    return run:policy(function()
        count = count + 1
        return count % 4 == 0 and "3 1 4 die" or text
    end)
end

function tests.stages_leave_lost_answers_out()
    local it = test.stage_setting()
    local only = it.run:suite("fake", { only = "axpy" })
    local row = it.run:evaluate { policy = dying(it.run, "3 1 4"), prompt = it.prompt, suite = only, judge = it.judge, row = "dying", group = 4 }
    test.equal({ row.samples, row.lost, row.success }, { 3, 1, 1.0 })
    test.equal(row.lost_reason, 'lost 3 times: the bench died of signal 6 (Aborted) in verifier "fake" (launch)')
    local corpus = it.run:collect { teacher = dying(it.run, "2 1 4"), suite = only, judge = it.judge, trials = 8, keep = 1, row = "teacher" }
    test.equal({ #corpus.samples, #corpus.items }, { 8, 0 })
end

-- In rollouts of one answer a loss may be chance; four in a row are none.
function tests.four_lost_in_a_row_stop_a_run()
    local _, _, _, roll = test.setting()
    local function lose() return roll("7 2 2 die")[1].members[1].judgement.scorable end
    test.equal({ lose(), lose(), lose(), roll("7 2 2")[1].members[1].judgement.scorable, lose(), lose(), lose() },
        { false, false, false, true, false, false, false })
    local fine, text = pcall(lose)
    test.is(not fine and tostring(text):find("rollout: 1 of 1 answers are lost, like the 3 before, most often because of this: lost 3 times: the bench died of signal "
        .. '6 (Aborted) in verifier "fake" (launch); mend the cause and resume', 1, true), tostring(text))
end

function tests.an_empty_corpus_is_an_error()
    local it = test.stage_setting()
    local policy = it.run:policy("bigram")
    for _, more in ipairs { {}, { updates = 3 } } do
        local options = { policy = policy, prompt = it.prompt, corpus = { items = {}, samples = {} } }
        for key, value in pairs(more) do options[key] = value end
        local fine, text = pcall(function() it.run:sft(options) end)
        test.is(not fine and tostring(text):find("run:sft: the corpus is empty: no program of a teacher has passed; run:collect with more trials", 1,
            true), tostring(text))
    end
end

function tests.the_template_teacher_refuses_a_prompt_with_fences()
    local it = test.stage_setting()
    local fine, text = pcall(function()
        it.run:collect { teacher = it.teacher, prompt = it.run:prompt("contrastive"), suite = it.suite, judge = it.judge }
    end)
    test.is(not fine and tostring(text):find('policy "template" writes programs without fences, and this prompt asks for fences: leave `prompt` '
        .. 'out of run:collect', 1, true), tostring(text))
end

-- The value that objective.weights should be the gradient of, over whole sequences: every token counts.
local function objective_value(preset, scores, old, advantages, scale, reference)
    local total = 0
    for i, score in ipairs(scores) do
        local mean = 0
        for t = 2, #score.logp do mean = mean + (score.logp[t] - old[i][t]) / (#score.logp - 1) end
        for t = 2, #score.logp do
            local ratio = math.exp(preset.ratio == "sequence" and mean or score.logp[t] - old[i][t])
            local a = advantages[i]
            local cut = math.max(1 - (preset.clip_low or 0), math.min(1 + (preset.clip_high or 0), ratio))
            local value = preset.surrogate == "reinforce" and a * score.logp[t] or math.min(ratio * a, cut * a)
            local d = score.logp[t] - reference[i][t]
            total = total + scale(i) * (value - (preset.kl or 0) * (math.exp(-d) + d - 1))
        end
    end
    return total
end

-- A small plain step along the gradient g raises the value by lr |g|^2: the policy's own derivative agrees with the weights.
function tests.an_update_climbs_its_objective()
    local objective = require "hone.objective"
    local it = test.stage_setting()
    for name, preset in pairs(objective.presets) do
        local policy = it.run:policy("bigram", { optimizer = "sgd" })
        it.run:sft {
            policy = policy, prompt = it.prompt, corpus = it.corpus, epochs = 1, batch = 4, lr = 0.5, warm_up = 1, weight_decay = 0.0, stage = name,
        }
        local rng, sequences, old, reference, advantages, lengths = it.run:rng(name), {}, {}, {}, {}, {}
        for i = 1, 6 do
            local item = it.corpus.items[i]
            local messages = it.run:write(it.prompt, item.task, {}, "gradient/" .. i)
            messages[#messages + 1] = { role = "assistant", text = item.code }
            sequences[i], advantages[i] = { ids = policy:encode(messages, false) }, 2 * rng:uniform() - 1
            lengths[i] = #sequences[i].ids - 1
        end
        local before = policy:score(sequences)
        for i, score in ipairs(before) do
            old[i], reference[i] = {}, {}
            for t, logp in ipairs(score.logp) do
                local wide = preset.ratio == "sequence" and 1e-4 or 0.2
                old[i][t], reference[i][t] = logp + wide * (rng:uniform() - 0.5), logp + 0.5 * (rng:uniform() - 0.5)
            end
        end
        local scale = objective.aggregations[preset.aggregation](lengths, 8)
        local function tail(list) return table.move(list, 2, #list, 1, {}) end
        local lr = 2e-3
        local done = policy:learn { sequences = sequences, lr = lr, weigh = function(i, logp)
            local weights = objective.weights(preset, tail(logp), tail(old[i]), advantages[i], scale(i), tail(reference[i]))
            return table.move(weights, 1, #weights, 2, { 0 })
        end }
        local gain = objective_value(preset, policy:score(sequences), old, advantages, scale, reference)
            - objective_value(preset, before, old, advantages, scale, reference)
        local wanted = lr * done.grad_norm ^ 2
        test.is(math.abs(gain - wanted) < 0.05 * wanted + 2e-7, ("%s: gained %g, wanted %g"):format(name, gain, wanted))
    end
end

function tests.a_difference_keeps_every_line()
    test.equal(report.diff("a\nb\nc\n", "a\nx\nc\n"), "  a\n- b\n+ x\n  c")
end

return tests
