-- Error texts, to the letter: what a person reads who made the mistake.
local hone = require "hone"
local test = require "harness"
local errors = {}

function errors.of_names()
  local run = test.run()
  test.fails('global "polcy" is not declared', function() return polcy end)
  test.fails('global "prnt" is not declared; did you mean "print"?', function() prnt("x") end)
  test.fails('global "policy" is not declared; write: local policy = ...', function() policy = 1 end)
  test.begins('run has no "rolout"; did you mean "rollout"? (members: archive, collect, contrastive_rl, ', function() run:rolout {} end)
  test.fails('run is read-only: "seed" cannot be set', function() run.seed = 2 end)
  test.fails('hone has no "setings"; did you mean "settings"? (members: corpus, interval, null, optional, options, required, run, settings, version)',
    function() hone.setings("x", 1) end)
  local task = run:suite("fake")[1]
  test.fails('tolerance has no "clas"; did you mean "class"? (keys: class, factor, roundings, deterministic)', function() return task.tolerance.clas end)
  test.begins('an entry of inputs has no "nam"; did you mean "name"? (keys: name, ', function() return task.inputs[1].nam end)
  test.equal(task.inputs[1].starts_as, nil)
  test.begins('task has no "shapes"; did you mean "shape"? (members: template, has_template, name, ', function() return run:suite("fake")[1].shapes end)
  run:suite("fake")
  test.fails('archive:find: no suite of this script has a task "axpyy"; did you mean "axpy"?',
    function() run.archive:find { task = "axpyy" } end)
  test.fails('archive has no "first"; members: add, branch, find, run', function() return run.archive.first end)
end

function errors.of_policies_in_prompts()
  local run, task, judge = test.setting()
  local function roll(options)
    options.judge = judge
    run:rollout(options)
  end
  local cure = "; write policy = run:policy(...) there, or for all prompts"
  test.fails('run:rollout: option "policy" is missing (hone.Policy)', function() roll { prompts = {} } end)
  test.fails("run:rollout: prompts[1].policy is no policy" .. cure, function() roll { prompts = { { task = task, messages = "x" } } } end)
  local mine = run:policy(function() return "7 2 2" end)
  test.fails("run:rollout: prompts[2].policy is no policy" .. cure, function()
    roll { policy = mine, prompts = { { task = task, messages = "x" }, { task = task, messages = "x", policy = "bigram" } } }
  end)
  local other = test.run { name = "other" }:policy(function() return "7 2 2" end)
  test.fails(('run:rollout: prompts[1].policy is of run "other", and run %q is asked; take both from one run'):format(run.name), function()
    roll { prompts = { { task = task, messages = "x", policy = other } } }
  end)
end

-- Of the second line: an empty one counts as a line, and is skipped.
function errors.of_options()
  local run = test.run()
  test.fails('hone.run: no option "nam"; did you mean "name"? (options: name, seed, dir, budget, checkpoint)', hone.run, { nam = "x" })
  test.fails('hone.run: option "seed": integer expected, got string', hone.run, { seed = "1" })
  test.fails('hone.run: name "a/b" is no name for a folder; use letters, digits, - _ and ., without - in front', hone.run, { name = "a/b" })
  test.fails('hone.run: name "" is no name for a folder; use letters, digits, - _ and ., without - in front', hone.run, { name = "" })
  test.fails('hone.run: name "-x" is no name for a folder; use letters, digits, - _ and ., without - in front', hone.run, { name = "-x" })
  test.fails('hone.run: name ".." is no name for a folder; use letters, digits, - _ and ., without - in front', hone.run, { name = ".." })
  test.fails('hone.run: dir is an empty text; name a folder, or leave dir out', hone.run, { dir = "" })
  test.fails('run:step: the name of the stage is an empty text; name the stage', function() run:step("") end)
  test.fails('run:record: the name of the stage is an empty text; name the stage', function() run:record("", {}) end)
  test.fails('run:policy: a Lua function takes no options here; let the function use what it needs, or write a file parts/policy.NAME.lua with options',
    function() run:policy(function() return "" end, { text = "x" }) end)
  test.fails('run:rollout: option "judge" is missing (hone.Judge)', function() run:rollout {} end)
  test.fails('archive:find: limit = -3 is not at least 0', function() run.archive:find { limit = -3 } end)
  test.fails('run:suite: limit = -1 is not at least 0', function() run:suite("fake", { limit = -1 }) end)
  test.fails('run:suite: the list `only` is empty; leave it out for all tasks', function() run:suite("fake", { only = {} }) end)
  test.fails('run:record: column "success": 1.5 is no share; give a number from 0 to 1', function() run:record("x", { success = 1.5 }) end)
  test.fails('run:record: column "typical": -1 is no ratio; give a number above 0: 1.3 is 30 % faster; math.exp of a logarithm',
    function() run:record("x", { typical = -1 }) end)
  test.fails('run:record: column "samples": 2.5 is no number of things', function() run:record("x", { samples = 2.5 }) end)
  test.fails('shaping.smoothed: no option "limt"; did you mean "limit"? (options: failures, floor, limit, window)',
    function() require("hone.shaping").smoothed(run:shaper("log-speedup"), { limt = 1 }) end)
  test.fails('shaping.smoothed: option "window": 0 is less than 1',
    function() require("hone.shaping").smoothed(run:shaper("log-speedup"), { window = 0 }) end)
  test.fails('run:sft: no option "epocs"; did you mean "epochs"? (options: epochs, lr)', hone.options, { epocs = 1 }, { epochs = 1, lr = 1 }, "run:sft")
  test.fails('run:sft: option "lr": number expected, got string', hone.options, { lr = "1" }, { lr = 1 }, "run:sft")
  test.fails('policy "bigram": no option "positons"; did you mean "positions"? (options: vocabulary, positions, optimizer)',
    function() run:policy("bigram", { positons = 3 }) end)
end

-- Numbers and words beyond their limits stop on the script's line, before anything is paid for.
function errors.of_limits()
  local run, task, judge = test.setting()
  local policy, prompt = run:policy("bigram"), run:prompt("compact")
  local corpus = { items = {}, samples = {} }
  local function stage(name, given, why)
    given.policy, given.prompt, given.judge = policy, prompt, name ~= "sft" and judge or nil
    if name == "sft" then given.corpus = given.corpus or corpus else given.suite = given.suite or { task } end
    test.fails("run:" .. name .. ": " .. why, function() run[name](run, given) end)
  end
  stage("contrastive_rl", { steps = 2.5 }, 'option "steps": 2.5 is no whole number')
  stage("contrastive_rl", { steps = -3 }, 'option "steps": -3 is less than 0')
  stage("contrastive_rl", { updates = 0 }, 'option "updates": 0 is less than 1')
  stage("contrastive_rl", { temperature = -1 }, 'option "temperature": -1 is less than 0.0')
  stage("contrastive_rl", { exemplar_share = 20 }, 'option "exemplar_share": 20 is more than 1.0')
  stage("contrastive_rl", { lr = 1 / 0 }, 'option "lr": inf is no finite number')
  stage("contrastive_rl", { archive = {} }, 'option "archive": an archive expected, got table without a function find; write archive = run.archive:branch()')
  stage("contrastive_rl", { shape = "log-speedup" }, 'option "shape": a shaper or a function expected, got string; write shape = run:shaper("log-speedup")')
  stage("contrastive_rl", { suite = {} }, 'option "suite": the list of tasks is empty; write suite = run:suite("..."), or { task }')
  stage("evaluate", { suite = {}, row = "x" }, 'option "suite": the list of tasks is empty; write suite = run:suite("..."), or { task }')
  stage("evaluate", { suite = { "square" }, row = "x" }, 'option "suite": entry 1 is a string, no task; write suite = run:suite("..."), or { task }')
  stage("sft", { epochs = 0 }, 'option "epochs": 0 is less than 1')
  stage("sft", { batch = 0 }, 'option "batch": 0 is less than 1')
  stage("sft", { updates = "3" }, 'option "updates": number expected, got string')
  stage("sft", { lr = -1 }, 'option "lr": -1 is less than 0.0')
  stage("sft", { lr = 0 / 0 }, 'option "lr": is not a number (NaN)')
  stage("sft", { corpus = { { code = "1" } } }, 'option "corpus": a list of items is no corpus; give what run:collect returned, or { items = list }')
  for text, item in pairs {
    ["is a string"] = "7 2 2", ["has a string as task"] = { task = "square", code = "7 2 2", log_speedup = 0.0 },
    ["has a nil as code"] = { task = task, log_speedup = 0.0 }, ["has a table as log_speedup"] = { task = task, code = "7", log_speedup = {} },
  } do
    stage("sft", { corpus = { items = { item } } },
      ('option "corpus": item 1 %s; an item is { task =, code =, language =, log_speedup = } as of run:collect'):format(text))
  end
  test.fails('run:collect: option "into": has no samples; give what run:collect returned, or { items = {}, samples = {} }',
    function() run:collect { teacher = policy, suite = { task }, judge = judge, into = { items = {} } } end)
  local function part(why, change)
    local given = { policy = policy, prompt = prompt, suite = { task }, judge = judge }
    for key, value in pairs(change) do given[key] = value end
    test.fails("run:contrastive_rl: " .. why, function() run:contrastive_rl(given) end)
  end
  part('option "policy": a policy expected, got string; write policy = run:policy("bigram")', { policy = "bigram" })
  part('option "judge": a judge expected, got table; write judge = run:judge{ verifier = ..., timer = ..., reference = ... }', { judge = {} })
  part('option "prompt": a prompt strategy or a function expected, got string; write prompt = run:prompt("compact")', { prompt = "compact" })
  part('option "stage": a name expected, got number', { stage = 5 })
  part('option "stage": a name expected, got an empty text', { stage = "" })
  test.fails('run:evaluate: option "again": a judge expected, got number; write again = run:judge{ verifier = ..., timer = ..., reference = ... }',
    function() run:evaluate { policy = policy, prompt = prompt, suite = { task }, judge = judge, row = "x", again = 5 } end)
  test.fails('run:collect: option "trials": -2 is less than 1', function() run:collect { teacher = policy, suite = { task }, judge = judge, trials = -2 } end)
  test.fails('run:collect: option "suite": the list of tasks is empty; write suite = run:suite("..."), or { task }',
    function() run:collect { teacher = policy, suite = {}, judge = judge } end)
  test.fails('run:collect: option "teacher": the list is empty; write teacher = run:policy(...), or a list of such',
    function() run:collect { teacher = {}, suite = { task }, judge = judge } end)
  test.fails('contrastive-rl: option "train": "auto", true or false expected, got no',
    function() run:contrastive_rl { policy = policy, prompt = prompt, suite = { task }, judge = judge, train = "no" } end)
  test.fails('run:own: option "kind": no "rde"; did you mean "red"? (words: red, blue)',
    function() hone.options({ kind = "rde" }, { kind = "red" }, "run:own", { kind = { "red", "blue" } }) end)
  test.fails('run:own: limits: no option "stpes"; did you mean "steps"? (options: steps)',
    function() hone.options({}, { steps = 3 }, "run:own", { stpes = { 1 } }) end)
end

-- What says nothing beside another option is told, or an experiment compares two names of one thing.
function errors.of_options_without_effect()
  local run, task, judge = test.setting()
  local given = { policy = run:policy("bigram"), prompt = run:prompt("compact"), suite = { task }, judge = judge }
  local function with(name, value)
    local o = { [name] = value }
    for key, other in pairs(given) do o[key] = other end
    return o
  end
  test.fails('run:evaluate: option "archive" has no effect without exemplars; give exemplars = "bucket" or another strategy, or leave it out',
    function() run:evaluate { policy = given.policy, suite = { task }, judge = judge, row = "x", archive = run.archive } end)
  test.fails('run:self_supervised: option "replay" has no effect without a corpus; give corpus = ..., or leave it out',
    function() run:self_supervised(with("replay", 0.5)) end)
  test.fails('run:sft: option "epochs" has no effect with updates, which says how many there are; leave one of them out', function()
    run:sft { policy = given.policy, prompt = given.prompt, corpus = { items = {}, samples = {} }, epochs = 3, updates = 4 }
  end)
  test.fails('run:evaluate: option "row": a name expected, got an empty text', function() run:evaluate(with("row", "")) end)
end

-- An objective of one's own: what is misspelt would be ignored, or fail after the first step is paid for.
function errors.of_presets()
  local run, task, judge = test.setting()
  local function told(why, change)
    local preset = { advantage = "grpo", ratio = "token", clip_low = 0.2, clip_high = 0.2, aggregation = "token-mean" }
    change(preset)
    local fine, text = pcall(function()
      run:contrastive_rl { policy = run:policy("bigram"), prompt = run:prompt("compact"), suite = { task }, judge = judge, preset = preset }
    end)
    test.is(not fine and text:find("errors.lua:%d+: run:contrastive_rl: preset: ") and text:find(why, 1, true), text)
  end
  told('no option "KL"', function(p) p.KL = 5 end)
  told('no option "kl_weight"', function(p) p.kl_weight = 5 end)
  told('option "ratio": no "sequense"; did you mean "sequence"? (words: token, sequence)', function(p) p.ratio = "sequense" end)
  told('option "surrogate": no "reinforced"; did you mean "reinforce"? (words: reinforce)', function(p) p.surrogate = "reinforced" end)
  told('no option "advantge"; did you mean "advantage"?', function(p) p.advantge, p.advantage = p.advantage, nil end)
  told('option "clip_low" is missing', function(p) p.clip_low = nil end)
  told('option "clip_high": number expected, got string', function(p) p.clip_high = "0.2" end)
  told('option "divergence": no "k4"; did you mean "k', function(p) p.kl, p.divergence = 0.1, "k4" end)
  told('option "divergence" has no effect without kl; give kl = 0.001 or another weight, or leave it out', function(p) p.divergence = "k1" end)
  local function plain(name, value)
    return function(p)
      p.ratio, p.clip_low, p.clip_high, p.surrogate = nil, nil, nil, "reinforce"
      p[name] = value
    end
  end
  for name, value in pairs { ratio = "sequence", clip_low = 0.2, clip_high = 0.2, dual_clip = 3.0 } do
    told(('option %q has no effect with surrogate = "reinforce", which clips no ratio; leave it out'):format(name), plain(name, value))
  end
end

function errors.of_members()
  local run, task, judge, roll = test.setting()
  local group = roll("7 2 2")[1]
  test.begins('member has no "finised"; did you mean "finish"? (keys: text, ids, ', function() return group.members[1].finised end)
  test.begins('group has no "taks"; did you mean "task"? (keys: task, messages, ', function() return group.taks end)
  test.begins('candidate has no "cod"; did you mean "code"? (keys: task, code, ', function() return group.members[1].candidate.cod end)
  test.equal({ group.members[1].reward, group.members[1].logp, roll("")[1].members[1].candidate }, {})
  test.begins('request has no "tsk"; did you mean "task"? (keys: task, messages, ', function()
    run:rollout { policy = run:policy(function(request) return request.tsk end), judge = judge, prompts = { { task = task, messages = "x" } } }
  end)
end

-- An archive holds answers of its own run: those of another have the same numbers and would be others.
function errors.of_another_run()
  local other = test.run { name = "other" }
  local run, task, judge, roll = test.setting()
  local groups = roll("7 2 2")
  test.fails(('archive:add: group 1 is of run %q, the archive of run "other"; an archive holds answers of its own run alone: add to a branch of that of %q')
    :format(run.name, run.name), function() other.archive:branch():add(groups) end)
  for _, archive in ipairs { other.archive, other.archive:branch() } do
    for _, stage in ipairs { "contrastive_rl", "self_supervised" } do
      test.fails(('run:%s: option "archive": it is of run "other", and the stage adds answers of run %q, which that archive cannot hold; write archive = '
        .. 'run.archive:branch(), and show programs of the other run by exemplars = function(own, task, rng) return other:find{...} end')
        :format(stage, run.name), function()
          run[stage](run, { policy = run:policy("bigram"), prompt = run:prompt("compact"), suite = { task }, judge = judge, archive = archive })
        end)
    end
  end
  local shown = other:evaluate {
    policy = other:policy(function() return "7 2 2" end), prompt = test.prompt(other), suite = { task }, judge = test.judge(other), group = 1,
    row = "x", archive = run.archive, exemplars = function(archive, of) return archive:find { task = of } end,
  }
  test.equal({ shown.success, #run.archive:find { task = task } }, { 1.0, 1 })
end

-- Policy and judge of one run in a call of another: the work would stand in one journal, its row in the other.
function errors.of_parts_of_another_run()
  local other = test.run { name = "other" }
  local run, task, judge, roll = test.setting()
  local groups = roll("7 2 2")
  local policy, cure = run:policy("bigram"), (' is of run %q, and run "other" is asked; take both from one run'):format(run.name)
  local it = { policy = policy, prompt = run:prompt("compact"), suite = { task }, judge = judge }
  test.fails('run:rollout: option "judge"' .. cure, function() other:rollout { policy = policy, judge = judge, prompts = {} } end)
  for stage, option in pairs { contrastive_rl = {}, self_supervised = {}, evaluate = { row = "x" } } do
    test.fails(("run:%s: option \"policy\""):format(stage) .. cure, function()
      other[stage](other, { policy = policy, prompt = it.prompt, suite = it.suite, judge = judge, row = option.row })
    end)
  end
  test.fails('run:sft: option "policy"' .. cure, function() other:sft { policy = policy, corpus = { items = {} } } end)
  test.fails('run:collect: option "teacher"' .. cure, function() other:collect { teacher = policy, suite = it.suite, judge = judge } end)
  test.fails('run:evaluate: option "again"' .. cure, function()
    other:evaluate { policy = other:policy("bigram"), suite = it.suite, judge = test.judge(other), again = judge, row = "x" }
  end)
  test.fails("run:shape: the group" .. cure, function() other:shape(run:shaper "log-speedup", groups[1]) end)
  test.fails("run:rewarded: the group" .. cure, function() other:rewarded(groups) end)
end

-- Values of a wrong type in tables that a script hands over.
function errors.of_messages()
  local run, task, judge = test.setting()
  local function told(why, messages)
    test.fails("messages: " .. why, function()
      run:rollout { policy = run:policy(function() return "7 2 2" end), judge = judge, prompts = { { task = task, messages = messages } } }
    end)
    test.fails("messages: " .. why, function() run:write(run:prompt(function() return messages end), task, {}, "x", judge) end)
  end
  told('fenced is a string, neither true nor false; write fenced = false where the whole answer is the program', { "x", fenced = "no" })
  told('fenced is a number, neither true nor false; write fenced = false where the whole answer is the program', { "x", fenced = 0 })
  told('shown is a string, no list of hashes; write shown = { exemplar.hash, ... }, or leave it out', { "x", shown = "h" })
  told('shown: entry 1 is no hash; write shown = { exemplar.hash, ... }, or leave it out', { "x", shown = { 1 } })
  told('no option "fence"; did you mean "fenced"? (options: fenced, shown)', { "x", fence = false })
  told('the role of entry 1 is a boolean, no text', { { role = true, text = "x" } })
  told('entry 1 has no text', { { role = "user", content = "x" } })
  told('entry 1 has no text', { { role = "user", text = 5 } })
  test.fails('messages: a text or a list of {role=, text=} expected, got number', function()
    run:rollout { policy = run:policy("bigram"), judge = judge, prompts = { { task = task, messages = 5 } } }
  end)
  told('entry 1: no option "txt"; did you mean "text"? (options: role, text)', { { role = "user", text = "x", txt = "y" } })
  told('the text of entry 2 is no UTF-8', { "x", { role = "user", text = "a\xff" } })
end

-- Bytes that are no text would end in the journal or in a request.
function errors.of_bytes()
  local run, task, judge = test.setting()
  test.fails("table at note: a text that is no UTF-8 cannot be stored", function() run:step("x", { note = "\xff" }) end)
  test.fails("table: a text that is no UTF-8 cannot be stored", function() run:record("x", { ["\xff"] = 1 }) end)
  test.fails("run:step: the name of the stage is no UTF-8", function() run:step("\xff") end)
  test.fails('run:rollout: option "stage" is no UTF-8', function()
    run:rollout { policy = run:policy("bigram"), judge = judge, prompts = {}, stage = "\xff" }
  end)
  test.fails('candidate: "code" is no UTF-8', function() judge:submit(task, { code = "7 2 2\xff" }) end)
  test.fails("table at text: a text that is no UTF-8 cannot be stored", function() run:policy("sample", { text = "\xff" }) end)
  local member = run:rollout {
    policy = run:policy(function() return "7 2 2 \xff" end), judge = judge, prompts = { { task = task, messages = { "x", fenced = false } } },
  }[1].members[1]
  test.equal(member.text, "7 2 2 \u{fffd}")
  judge:submit(task, "7 2 2 \xff", { fenced = false })
  test.equal(select(2, judge:collect()).reason, "answer is not UTF-8")
end

function errors.of_rows()
  local run = test.run()
  test.fails('run:record: no column "sucess"; did you mean "success"?, or give a column of your own another name', function() run:record("x", { sucess = 0.5 }) end)
  test.fails('run:record: column "success": a number expected, got string', function() run:record("x", { success = "0.5" }) end)
  test.fails('run:record: column "typical": no finite number; leave out what could not be computed', function() run:record("x", { typical = 0 / 0 }) end)
  test.fails('run:record: column "baseline": a text expected, got number', function() run:record("x", { baseline = 1 }) end)
  test.fails('run:record: column "stage": it is the name of the stage itself; give yours another name', function() run:record("x", { stage = "mine" }) end)
  run:record("x", { success = 0.5, prompts = 3, baseline = "eager" })
end

-- Rows, archives and corpora know a task by its name.
function errors.of_namesakes()
  local run, task, judge, roll = test.setting()
  local other = run:suite("namesake")[1]
  test.equal({ other.name, other.hash ~= task.hash }, { task.name, true })
  local policy = run:policy(function() return "7 2 2" end)
  local both = 'two different tasks are called "square": %s 1 of suite "fake" and %s 2 of suite "namesake"; rename one of them, or keep the two in stages of their own'
  local function evaluate(suite)
    local row = run:evaluate { policy = policy, suite = suite, judge = judge, row = "x", group = 1 }
    return row
  end
  test.fails('run:evaluate: option "suite": ' .. both:gsub("%%s", "entry"), function() evaluate { task, other } end)
  test.fails('run:evaluate: option "suite": entry 1 and 2 are one task, "square"; leave one of them out', function() evaluate { task, task } end)
  local function item(of) return { task = of, code = "7 2 2", language = "fake", log_speedup = 0 } end
  for _, corpus in ipairs { { items = { item(task), item(other) } }, { { items = { item(task) } }, { items = { item(other) } } } } do
    test.fails('run:sft: option "corpus": ' .. both:gsub("%%s", "item"), function() run:sft { policy = run:policy("bigram"), corpus = corpus } end)
  end
  roll("7 2 2")
  judge:submit(other, { code = "3 1 4" })
  judge:collect()
  local function codes(of)
    local list = {}
    for i, e in ipairs(run.archive:find { task = of, order = "age" }) do list[i] = e.code:match("%S.*%S") end
    return list
  end
  test.equal({ codes(task), codes(other), #codes("square") }, { { "7 2 2" }, { "3 1 4" }, 2 })
end

function errors.of_parts()
  local run = test.run()
  test.fails("run:timer: a Lua function cannot be a timer: it works in a bench, another process, which gets id, options and file hash; write a plugin: `hone new` makes a folder for one",
    function() run:timer(function() end) end)
  test.fails('run:judge: option "timer" is missing; write timer = run:timer("...")', function() run:judge { verifier = run:verifier("fake") } end)
  test.fails('run:judge: option "verifier" is a timer; write verifier = run:verifier("...")', function() run:judge { verifier = run:timer("virtual") } end)
  test.fails('policy "sample": no option "txt"; did you mean "text"? (options: text)', function() run:policy("sample", { txt = "x" }) end)
  test.fails('parts/policy.odd_kind.lua: option "device": there is no kind "gpu"; kinds: bool, int, num, text, choice, path',
    function() run:policy("odd_kind") end)
  test.fails('parts/policy.odd_key.lua: options: no key "defualt"; keys: name, kind, preset, allowed, doc', function() run:policy("odd_key") end)
end

function errors.of_suites()
  local run = test.run()
  test.fails('suite "fake": no role "hold-out"; did you mean "held-out"? (roles: train, auxiliary, held-out, flawed, all)', function() run:suite("fake", { role = "hold-out" }) end)
  test.fails('suite "fake": no task "sqare"; did you mean "square"?', function() run:suite("fake", { only = "sqare" }) end)
  test.fails('suite "fake": task "axpy:512" has the role "held-out", and "train" is asked for; give role = "all"',
    function() run:suite("fake", { only = { "square", "axpy:512" } }) end)
  test.equal(#run:suite("fake", { only = { "square", "axpy:512" }, role = "all" }), 2)
  local fine, text = pcall(run.suite, run, "fak")
  test.is(not fine and text:find('suite "fak": there is none of that name; did you mean "fake"? (suites: ', 1, true), text)
end

function errors.of_calls()
  local run, task, judge, roll = test.setting()
  test.fails("bad argument #1 to 'rng' (string expected, got no value)", function() run:rng() end)
  test.fails("bad argument #1 to 'brief' (hone.Task expected, got table)", function() judge:brief {} end)
  test.fails("judge.brief was called without its judge; write judge:brief(...), with a colon", function() judge.brief(task) end)
  test.fails("run.suite was called without its run; write run:suite(...), with a colon", function() run.suite("fake") end)
  test.fails('run:sft: option "policy" is missing; no options came: write run:sft{...}, with a colon',
    function() hone.options(nil, { policy = hone.required }, "run:sft") end)
  test.fails("judge:submit: the candidate has no code", function() judge:submit(task, {}) end)
  test.fails('policy "lua": the function returned a number, no text', function()
    run:rollout { policy = run:policy(function() return 3 end), judge = judge, prompts = { { task = task, messages = "x" } } }
  end)
  test.fails("run:shape: the shaper returned a string, neither a number nor nil", function() run:shape(function() return "x" end, roll("7 2 2")[1]) end)
  for text, value in pairs { nan = 0 / 0, inf = 1 / 0 } do
    local fine, said = pcall(run.shape, run, function() return value end, roll("7 2 2")[1])
    test.is(not fine and said:find(text .. ", no finite number; return nil to leave an answer out", 1, true), said)
  end
  test.fails("run:shape: the shaper's reason is a table, no text", function() run:shape(function() return 1, {} end, roll("7 2 2")[1]) end)
  local judgement = roll("7 2 2")[1].members[1].judgement
  test.begins('judgement has no "speedpu"; did you mean "speedup"? (keys: schema, verdict, passed, ', function() return judgement.speedpu end)
  test.fails('judgement has no "code"; the answer is a shaper\'s second argument: member.candidate.code, member.text, member.finish, member.tokens_out',
    function() return judgement.code end)
  test.fails('speedup has no "lowr"; did you mean "lower"? (keys: estimate, lower, upper, level, baseline)', function() return judgement.speedup.lowr end)
  test.fails('log_speedup has no "lowr"; did you mean "lower"? (keys: estimate, lower, upper)', function() return judgement.log_speedup.lowr end)
  test.equal(judgement.kind, nil)
  test.fails("archive:find: the archive holds passed candidates only; leave passed away", function() run.archive:find { passed = false } end)
  test.fails('archive: no order "speedup"; orders: age, random, speedup.estimate, speedup.lower, speedup.upper; a leading minus turns all but random round',
    function() run.archive:find { order = "speedup" } end)
  test.fails("archive:add: entry 1 is no group; give the list that run:rollout returned", function() run.archive:add { {} } end)
  test.fails("run:rewarded: a member has no reward; shape the group with shaping.rewards, or set member.reward = {raw =, changes = {}, value =, advantage =}",
    function() run:rewarded(roll("7 2 2")) end)
  test.fails("run:rewarded: reward.value is no finite number; leave it nil for an answer that is left out", function()
    local groups = roll("7 2 2")
    groups[1].members[1].reward = { raw = 1, changes = {}, value = 0 / 0 }
    run:rewarded(groups)
  end)
  for why, reward in pairs {
    ["reward.changes is no list of {name =, value =}; write changes = {} where nothing changed the reward"] = { changes = "x" },
    ["reward.reason is a number, no text"] = { changes = {}, reason = 5 },
    ['reward has no field "valu"; did you mean "value"? (fields: raw, reason, changes, value, advantage)'] = { raw = 1, valu = 1, changes = {} },
    ['an entry of reward.changes has no field "valeu"; did you mean "value"? (fields: name, value)'] = { raw = 1, changes = { { name = "x", valeu = 1 } } },
    ['reward.value is 9, but reward.raw is 1; note what changed the reward: changes = {{ name = "mine", value = 9 }}'] = { raw = 1, value = 9, changes = {} },
    ['reward.value is 9, but the last of reward.changes is 4; note what changed the reward: changes = {{ name = "mine", value = 9 }}'] =
      { raw = 1, value = 9, changes = { { name = "x", value = 4 } } },
    ['reward.value is nil, but reward.raw is 1; note what changed the reward: changes = {{ name = "mine", value = nil }}'] = { raw = 1, changes = {} },
  } do
    test.fails("run:rewarded: " .. why, function()
      local groups = roll("7 2 2")
      groups[1].members[1].reward = reward
      run:rewarded(groups)
    end)
  end
  test.fails('run:contrastive_rl: no preset "ppo" (presets: cuda_l1, dapo, dr_grpo, grpo, gspo, hone, reinforce, rloo)', function()
    run:contrastive_rl { policy = run:policy("bigram"), prompt = test.prompt(run), suite = { task }, judge = judge, preset = "ppo" }
  end)
  local groups = roll("7 2 2")
  groups[1].members[1].reward = { raw = 1, value = 1, advantage = 0.5, changes = {} }
  run:rewarded(groups)
  run:rewarded(groups)
  groups[1].members[1].reward.advantage = 7
  test.fails("run:rewarded: another advantage of member 1 in group 1 was committed before: 0.5, now 7; a run has one objective: commit the rewards of a "
    .. "rollout once", function() run:rewarded(groups) end)
  test.fails("table at loss: a function cannot be stored", function() run:step("x", { loss = print }) end)
  test.fails('run:step: metric "stage": it is the name of the stage itself; give yours another name', function() run:step("x", { stage = "mine" }) end)
  test.fails('run:step: metric "loss": no finite number; leave out what could not be computed', function() run:step("x", { loss = 0 / 0 }) end)
  test.fails('run:step: metric "loss": no finite number; leave out what could not be computed', function() run:step("x", { loss = -1 / 0 }) end)
  test.fails('candidate: no key "langage"; did you mean "language"?', function() judge:submit(task, { code = "7 2 2", langage = "fake" }) end)
end

-- What a resumed run takes from the journal it does not do again, nor what was done within.
function errors.of_operations_within_another()
  local run, task, judge, roll = test.setting()
  local bigram = run:policy("bigram")
  local prompts = { { task = task, messages = "x" } }
  local learning = { sequences = { { ids = { 1, 2 }, weight = { 0, 1 } } }, lr = 0.1 }
  local cases = {
    rollout = function() run:rollout { policy = bigram, judge = judge, prompts = prompts } end,
    collect = function() judge:collect(judge:submit(task, { code = "7 2 2" })) end,
    learn = function() bigram:learn(learning) end,
    score = function() bigram:score { { 1, 2 } } end,
    step = function() run:step("x") end,
    record = function() run:record("x", {}) end,
    ["hone.run"] = function() test.run() end,
  }
  for kind, call in pairs(cases) do
    local why = (": it calls for an operation (%s) within another one, and such a run could not be resumed; do that in the script or in a stage of your "
      .. "own, and let the function work with what came of it"):format(kind)
    local asked = run:policy(function() call() return "7 2 2" end)
    test.fails(('policy "%s"'):format(asked.name) .. why, function() run:rollout { policy = asked, judge = judge, prompts = prompts } end)
    test.fails("policy:learn: weigh" .. why, function()
      bigram:learn { sequences = { { ids = { 1, 2 } } }, lr = 0.1, weigh = function() call() return { 0, 1 } end }
    end)
  end
  roll("7 2 2")
end

-- A wrong exemplar strategy is told, or an ablation compares "none" with "none".
function errors.of_exemplars()
  local run, task, judge, roll = test.setting()
  roll("7 2 2")
  local one = run.archive:find { task = task }[1]
  local cure = "; give a list of records as archive:find returns them, with hash and code; {} shows none"
  local cases = {
    { function() end, "run:write: exemplars are a list, got nil; return {} from an exemplar strategy to show none" },
    { function() return "softmax" end, "run:write: exemplars are a list, got string; return {} from an exemplar strategy to show none" },
    { function() return one end, "run:write: one exemplar stands where a list of exemplars is expected; write { exemplar }" },
    { function() return { "softmax" } end, "run:write: exemplars[1]: a record expected, got string" .. cure },
    { function() return { one, { hash = "h" } } end, "run:write: exemplars[2]: has no code" .. cure },
    { function() return { one, { hash = "h", code = "7", unit = "J", log_speedup = { estimate = 0 } } } end,
        'run:write: exemplars were measured in "J" and in "s": their scores have no common scale; show programs of one unit: '
            .. 'archive:find { unit = "J" }' },
    { function() return { { hash = "h", code = "7", plna = "x" } } end, 'run:write: exemplars[1]: no key "plna"; did you mean "plan"?' },
    { function() return { { hash = "h", code = "7" } } end, "run:write: exemplars[1]: has no speedup" .. cure },
    { function() return { { hash = "h", code = "7", log_speedup = 3.9 } } end,
      "run:write: exemplars[1]: log_speedup is no table with a finite number `estimate`" .. cure },
    { function() return { { hash = "h", code = "7", speedup = { estimate = 0 } } } end, "run:write: exemplars[1]: speedup.estimate is not above 0" .. cure },
    { function() return { first = one } end, "run:write: exemplars hold keys beside 1, 2, ..." .. cure },
  }
  for _, case in ipairs(cases) do
    test.fails(case[2], function()
      run:contrastive_rl { policy = run:policy(function() return "7 2 2" end), prompt = test.prompt(run), suite = { task }, judge = judge,
        steps = 1, exemplars = case[1] }
    end)
  end
  test.fails("run:rollout: prompts[1]: exemplars[1]: a record expected, got string" .. cure, function()
    run:rollout { policy = run:policy(function() return "" end), judge = judge, prompts = { { task = task, messages = "x", exemplars = { "h" } } } }
  end)
  local function of(name) return { { task = name, hash = "h", code = "3 1 4", speedup = { estimate = 2 } } } end
  test.fails('run:write: exemplars[1]: is a program of task "axpy", and the prompt is for task "square"; draw it by archive:find{ task = task }; '
    .. "a record without `task` is shown for any", function() run:write(test.prompt(run), task, of "axpy", "x", judge) end)
  run:write(test.prompt(run), task, of "square:600", "x", judge) -- another shape's program
end

-- What stands where a policy is saved may be somebody's work.
function errors.of_saving()
  local run = test.run()
  local cure = '; name a folder of its own, such as policy:save("saved/NAME")'
  local real = run.folder
  test.fails(("policy:save: %s is or contains %s, and saving would replace it"):format(real, real) .. cure, function() run:policy("bigram"):save(real) end)
  for _, folder in ipairs { ".", "..", "/", real .. "/.." } do
    test.is(not pcall(function() run:policy("bigram"):save(folder) end), folder .. " was replaced")
  end
  test.is(io.open(real .. "/journal.sqlite") , "the journal is gone")
end

return errors
