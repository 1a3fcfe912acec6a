-- One function for each function and field of the API, of its name.
local hone = require "hone"
local test = require "harness"
local api = {}

api["hone.run"] = function()
  local run = test.run { name = "named", seed = 9 }
  test.equal({ run.name, run.seed }, { "named", 9 })
end
api["hone.settings"] = function()
  test.equal({ test.number, test.switch, test.fraction, test.text }, { 12, true, 12.0, "text" })
  test.run():step("x")
  local fine, text = pcall(hone.settings, "late", 1)
  test.is(not fine and tostring(text):find('"late" is read after the script\'s first blocking call (', 1, true), text)
end
api["hone.options"] = function()
  local filled = hone.options({ lr = 2, note = "x" }, { lr = 1, epochs = 3, note = hone.required, on_step = hone.optional }, "stage")
  test.equal(filled, { lr = 2, epochs = 3, note = "x" })
end
api["hone.required"] = function() test.fails('stage: option "policy" is missing', hone.options, {}, { policy = hone.required }, "stage") end
api["hone.optional"] = function() test.equal(hone.options({}, { on_step = hone.optional }, "stage"), {}) end
api["hone.corpus"] = function()
  local path = test.run().folder .. "/talk.jsonl"
  local file = assert(io.open(path, "w"))
  file:write('{"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a", "weight": 0}, ',
    '{"role": "user", "content": "again"}, {"role": "assistant", "content": "b"}], "hone": {"speedup": 2}}\n')
  file:close()
  local corpus = hone.corpus(path)
  test.equal({ #corpus.items, #corpus.samples, #corpus.conversations }, { 0, 0, 1 })
  test.equal(corpus.conversations[1].learnt, { false, false, false, true })
  test.equal(corpus.conversations[1].messages[4].text, "b")
end
api["hone.null"] = function() test.equal(type(hone.null), "userdata") end
api["hone.version"] = function() test.is(hone.version:match("^%d+%.%d+%.%d+$"), "no version") end

api["run.name"] = function() test.equal(test.run { name = "x" }.name, "x") end
api["run.seed"] = function() test.equal(test.run().seed, 1) end
api["run.folder"] = function() test.is(test.run().folder:find(test.folder(), 1, true) == 1, "lies elsewhere") end
api["run:rng"] = function()
  local run = test.run()
  test.equal(run:rng("a"):uniform(), run:rng("a"):uniform())
  test.is(run:rng("a"):uniform() ~= run:rng("b"):uniform(), "two names, one stream")
end
api["run:step"] = function() test.run():step("rl", { step = 1, loss = 0.5 }) end
api["run:record"] = function() test.run():record("rl", { samples = 8, success = 0.5 }) end
api["run:spent"] = function()
  local run, task, judge = test.setting()
  local before = run:spent()
  test.equal({ before.sampling, before.judging, before.learning, before.verifying, before.timing }, { 0.0, 0.0, 0.0, 0.0, 0.0 })
  judge:submit(task, { code = "7 2 2" })
  judge:collect()
  local after = run:spent()
  test.is(after.judging > 0 and after.verifying + after.timing <= after.judging and after.judging <= after.total, "seconds do not add up")
end
api["run:report"] = function()
  local run = test.run()
  run:record("rl", { samples = 8, success = 0.5 })
  test.is(run:report():find("rl%s+8%s+50%.0 %%"), run:report())
end

api["run:policy"] = function()
  local run = test.run()
  test.equal(run:policy("bigram").name, "bigram")
  test.equal(run:policy("bigram").name, "bigram#2")
  test.equal(run:policy(function() return "" end).trainable, false)
end
api["run:prompt"] = function()
  local run = test.run()
  test.is(run:prompt("compact", { exemplars = 1 }))
  test.is(test.prompt(run))
end
api["run:shaper"] = function()
  local run, _, _, roll = test.setting()
  local group = roll("7 2 2")[1]
  test.equal(run:shape(run:shaper(function() return 4, "four" end), group), { 4.0 })
  test.fails("run:shape: another reward of member 1 in group 1 was committed before: 4, now 5; a run has one objective: shape a group once, and compute "
    .. "what else you look at in Lua", function() run:shape(function() return 5 end, group) end)
  test.is(run:shape(run:shaper("log-speedup"), roll("7 2 2")[1])[1] > 0, "no reward for a fast program")
  local function penalty(judgement, member) return judgement.log_speedup.lower - 0.01 * #member.candidate.code - #member.text - member.tokens_out, member.finish end
  local clipped = roll("7 2 2")[1]
  local estimate = clipped.members[1].judgement.log_speedup.estimate
  run:shape(run:shaper(function(j, member) j.log_speedup.estimate, member.judgement.passed = 9, false return 1 end), clipped)
  test.equal(clipped.members[1].judgement.log_speedup.estimate, estimate)
  test.equal(clipped.members[1].judgement.passed, true)
  local rewards, reasons = run:shape(run:shaper(penalty), roll("7 2 2")[1])
  test.is(math.abs(rewards[1] - (math.log(8 / 5) - 0.05 - 5)) < 1e-6, rewards[1])
  test.equal(reasons, { "stop" })
end
api["run:verifier"] = function() test.is(test.run():verifier("fake")) end
api["run:timer"] = function() test.is(test.run():timer("virtual")) end
api["run:reference"] = function() test.is(test.run():reference("lua")) end

api["run:suite"] = function()
  local run = test.run()
  local all = run:suite("fake", { role = "all" })
  test.is(#all >= 4, "tasks are missing")
  test.equal(#run:suite("fake", { limit = 2 }), 2)
  local square = run:suite("fake", { only = { "square" } })[1]
  test.equal({ square.name, square.suite, square.spec, square.shape.N }, { "square", "fake", "square 300", 300 })
  local names = {}
  for field in pairs(square) do names[#names + 1] = field end
  test.is(#names > 10, "fields are missing")
end
api["task:template"] = function()
  local run = test.run()
  local code = run:suite("fake", { only = "square" })[1]:template(run:rng("draw"))
  test.is(code:match("^%d %d %d$"), code)
end
api["task.has_template"] = function() test.equal(test.run():suite("fake", { only = "square" })[1].has_template, true) end

api["run:judge"] = function() test.is(test.judge(test.run())) end
api["judge:brief"] = function()
  local _, task, judge = test.setting()
  test.equal(judge:brief(task).fences, "fake")
end
api["judge:submit"] = function()
  local _, task, judge = test.setting()
  test.equal({ judge:submit(task, { code = "7 2 2" }), judge:submit(task, "no program") }, { 1, 2 })
end
api["judge:collect"] = function()
  local _, task, judge = test.setting()
  test.equal(judge:collect(), nil)
  local right, wrong = judge:submit(task, "7 2 2", { fenced = false }), judge:submit(task, "1 2 2", { fenced = false })
  local none = judge:submit(task, "no program")
  local verdicts = {}
  for _ = 1, 3 do
    local ticket, judgement = judge:collect()
    verdicts[ticket] = judgement.verdict
  end
  test.equal(verdicts, { [right] = "PASSED", [wrong] = "INCORRECT_NUMERICAL", [none] = "PARSE_ERROR" })
  test.equal(judge:collect(), nil)
  local first, second = judge:submit(task, { code = "7 2 2" }), judge:submit(task, { code = "1 2 2" })
  local ticket, judgement = judge:collect(second)
  test.equal({ ticket, judgement.verdict, (judge:collect()), judge:collect() }, { second, "INCORRECT_NUMERICAL", first, nil })
  test.fails("judge:collect: no judgement of ticket " .. second .. " is pending; give a number that judge:submit of this judge returned, once",
    function() judge:collect(second) end)
end

api["prompt:facts"] = function()
  local run = test.run()
  test.equal(run:prompt("compact"):facts(), { fenced = 0.0, speaks = "compact" })
  test.equal(run:prompt(function() return "x" end):facts(), {})
end
api["run:write"] = function()
  local run, task, judge = test.setting() -- the run knows its judge as long as somebody holds it
  local messages = run:write(run:prompt("compact"), task, { { hash = "h", code = "7", log_speedup = { estimate = 0 } } })
  test.equal(messages, {
    { role = "", text = "<|task|>" }, { role = "plain", text = "square 300" }, { role = "", text = "<|s8|>" },
    { role = "plain", text = "7" }, { role = "", text = "<|code|>" }, fenced = false, shown = { "h" },
  })
  local seen
  run:write(run:prompt(function(t, exemplars, rng) seen = { t.brief.fences, #exemplars, rng:below(1) } return "x" end), task)
  test.equal(seen, { "fake", 0, 0 })
  local own = { { hash = "h", language = "cpp", code = "int a; // obey me", log_speedup = { estimate = 1 } } }
  run:write(run:prompt(function(_, exemplars) seen = { exemplars[1].code, exemplars[1].log_speedup.estimate } return "x" end), task, own)
  test.equal(seen, { "int a;", 1 })
  test.equal(own[1].code, "int a; // obey me")
  run:write(run:prompt(function(_, exemplars) seen = exemplars[1].log_speedup.estimate return "x" end), task,
    { { hash = "h", code = "int a;", speedup = { estimate = 2 } } })
  test.equal(seen, math.log(2))
end
api["run:shape"] = function()
  local run, _, _, roll = test.setting()
  local rewards, reasons = run:shape(function(j)
    if not j.passed then return nil, "wrong" end
    return j.log_speedup.lower, "fine"
  end, roll("1 2 2")[1])
  test.equal({ rewards, reasons }, { { false }, { "wrong" } })
end
api["run:rewarded"] = function() -- what is in the journal then: tests/unit/lua/reward_test.cpp
  local run, _, _, roll = test.setting()
  local groups = roll("7 2 2")
  groups[1].members[1].reward = { raw = 1, changes = { { name = "halved", value = 0.5 } }, value = 0.5, advantage = 0 }
  run:rewarded(groups)
end
api["run:rollout"] = function()
  local run, task, _, roll = test.setting()
  local group = roll("7 2 2", 3)[1]
  test.equal({ #group.members, group.index, group.task.name }, { 3, 1, task.name })
  local member = group.members[1]
  test.equal({ member.text, member.finish, member.candidate.code, member.candidate.language }, { "7 2 2", "stop", member.candidate.code, "fake" })
  test.is(member.judgement.passed and member.judgement.scorable, "did not pass")
  test.is(math.abs(member.judgement.log_speedup.estimate - math.log(8 / 5)) < 1e-6, "no natural logarithm of 1.6")
  test.is(math.abs(member.judgement.speedup.estimate - 8 / 5) < 1e-6, "no plain ratio")
  test.equal(group.prompt.messages, group.messages)
end

api["run.archive"] = function() test.equal(test.run().archive:find {}, {}) end
api["archive.run"] = function()
  local run = test.run { name = "own" }
  test.equal({ run.archive.run.name, run.archive.run.folder }, { "own", run.folder })
end
api["archive:find"] = function()
  local run, task, _, roll = test.setting()
  roll("7 2 2")
  roll("7 2 3")
  roll("1 2 3")
  local found = run.archive:find { task = task, passed = true, limit = 1 }
  test.equal({ #found, found[1].code:match("%S.*%S") }, { 1, "7 2 2" })
  local plain, log = found[1].speedup, found[1].log_speedup
  for _, key in ipairs { "estimate", "lower", "upper" } do test.is(math.abs(math.log(plain[key]) - log[key]) < 1e-9, key) end
  test.equal(#run.archive:find { task = "square" }, 2)
  test.equal(#run.archive:find { task = "other" }, 0)
  local drawn = run.archive:find { order = "random", rng = run:rng("draw"), limit = 1 }
  test.equal(drawn, run.archive:find { order = "random", rng = run:rng("draw"), limit = 1 })
end

-- Two arms: each holds what was known, and its own finds.
api["archive:branch"] = function()
  local run, _, _, roll = test.setting()
  local function codes(archive)
    local list = {}
    for i, e in ipairs(archive:find { order = "-age" }) do list[i] = e.code:match("%S.*%S") end
    return list
  end
  roll("7 2 2")
  local first = run.archive:branch()
  first:add(roll("7 2 3"))
  local second = run.archive:branch()
  local other = first:branch()
  other:add(roll("7 2 4"))
  roll("7 2 5")
  test.equal(codes(first), { "7 2 2", "7 2 3" })
  test.equal(codes(second), { "7 2 2", "7 2 3" })
  test.equal(codes(other), { "7 2 2", "7 2 3", "7 2 4" })
  test.equal(codes(run.archive), { "7 2 2", "7 2 3", "7 2 4", "7 2 5" })
end
api["archive:add"] = function()
  local run, _, _, roll = test.setting()
  local arm = run.archive:branch()
  local groups = roll("7 2 2")
  test.equal(#arm:find {}, 0)
  arm:add(groups)
  test.equal(#arm:find {}, 1)
end

local function trained(run)
  local policy = run:policy("bigram", { optimizer = "sgd" })
  policy:adapt { "7 2 2", "1 2 3" }
  local ids = policy:encode({ { role = "user", text = "say" }, { role = "assistant", text = "7 2 2" } }, false)
  return policy, ids
end
local function ones(ids)
  local list = {}
  for t = 1, #ids do list[t] = t > 1 and 1 or 0 end
  return list
end
local function sum(list)
  local total = 0
  for _, x in ipairs(list) do total = total + x end
  return total
end

api["hone.interval"] = function()
  local low, high = hone.interval { 1, 2, 3 }
  test.equal({ ("%.4f"):format(low), ("%.4f"):format(high) }, { "-0.4841", "4.4841" })
  test.equal({ hone.interval { 1 } }, {})
  test.fails("hone.interval: entry 2 is inf, no finite number", hone.interval, { 1, math.huge })
  test.fails("hone.interval: entry 1 is x, no finite number", hone.interval, { "x" })
end
api["policy.run"] = function()
  local run = test.run { name = "mine" }
  test.equal(run:policy("bigram").run.name, "mine")
end
api["judge.run"] = function()
  local run = test.run { name = "mine" }
  test.equal(test.judge(run).run.name, "mine")
end
api["policy.name"] = function() test.equal(test.run():policy("bigram").name, "bigram") end
api["policy.trainable"] = function() test.equal(test.run():policy("bigram").trainable, true) end
api["policy:facts"] = function() test.equal(test.run():policy("bigram"):facts().device, "cpu") end
api["policy:encode"] = function()
  local _, ids = trained(test.run())
  test.is(#ids > 3, "too few tokens")
  local _, sources = test.run():policy("bigram"):encode({ { role = "user", text = "say" }, { role = "assistant", text = "7" } }, false)
  test.equal(sources, { 0, 2, 2 })
end
api["policy:score"] = function()
  local policy, ids = trained(test.run())
  local scores = policy:score({ ids, { ids = ids } }, { temperature = 1 })
  test.equal({ #scores, #scores[1].logp, #scores[2].entropy, scores[1].logp[1] }, { 2, #ids, #ids, 0.0 })
  test.is(scores[1].logp[2] < 0, "no log-probability")
end
api["policy:learn"] = function()
  local policy, ids = trained(test.run())
  local before = sum(policy:score({ ids })[1].logp)
  local done = policy:learn { sequences = { { ids = ids, weight = ones(ids) } }, lr = 0.5 }
  test.equal({ done.applied, done.version }, { true, 1 })
  test.is(math.abs(done.objective - before) < 1e-4, "the objective is not the sum of weight x logp")
  test.is(sum(policy:score({ ids })[1].logp) > before, "did not learn")
  local weighed = policy:learn { sequences = { { ids = ids }, { ids = ids } }, lr = 0.5,
    weigh = function(i, logp, entropy) return ones(logp), nil, { index = i, tokens = #entropy } end }
  test.equal(weighed.metrics, { index = 3.0, tokens = 2.0 * #ids })
end
api["policy:adapt"] = function() test.is(test.run():policy("bigram"):adapt({ "a b", "c" }).tokens >= 3) end
api["policy:save"] = function()
  local run = test.run()
  trained(run):save(run.folder .. "/saved")
  test.is(io.open(run.folder .. "/saved/bigram.json"), "nothing was written")
  run:policy("bigram"):save(run.folder .. "/saved/")
end
api["policy:load"] = function()
  local run = test.run()
  local policy, ids = trained(run)
  policy:learn { sequences = { { ids = ids, weight = ones(ids) } }, lr = 1 }
  policy:save(run.folder .. "/saved")
  local other = run:policy("bigram")
  other:load(run.folder .. "/saved")
  test.equal(other:score({ ids }), policy:score({ ids }))
end
api["policy:clone"] = function()
  local policy, ids = trained(test.run())
  local before = policy:score({ ids })
  local clone = policy:clone()
  test.equal({ clone.trainable, clone.name }, { false, "bigram-clone" })
  policy:learn { sequences = { { ids = ids, weight = ones(ids) } }, lr = 1 }
  test.equal(clone:score({ ids }), before)
end

api["rng:uniform"] = function()
  local x = test.run():rng("x"):uniform()
  test.is(x >= 0 and x < 1)
end
api["rng:below"] = function()
  local rng, seen = test.run():rng("x"), {}
  for _ = 1, 100 do seen[rng:below(3)] = true end
  test.equal(seen, { [0] = true, true, true })
end
api["rng:pick"] = function()
  test.equal(test.run():rng("y"):pick { "a", wrong = "b" }, "a") -- a list may have fields beside its entries
  local element, index = test.run():rng("x"):pick({ "a", "b", "c" }, { 0, 1, 0 })
  test.equal({ element, index }, { "b", 2 })
end
api["rng:shuffle"] = function()
  local list = { 1, 2, 3, 4 }
  local shuffled = test.run():rng("x"):shuffle(list)
  test.equal(list, { 1, 2, 3, 4 })
  table.sort(shuffled)
  test.equal(shuffled, list)
end

return api
