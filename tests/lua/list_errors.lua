-- Error texts of lists and of what is drawn from them, to the letter.
local hone = require "hone"
local test = require "harness"
local errors = {}

-- `#` and ipairs end at a hole, which most often is a misspelt name: the rest would be left out in silence.
function errors.of_lists_with_holes()
  local run, task, judge, roll = test.setting()
  local hole, cure = "entry 2 of 3 is nil, and would end the list", "; write what was meant there, or close the gap"
  local policy, names = run:policy(function() return "7 2 2" end), {}
  test.fails("hone.interval: entry 3 of 4 is nil, and would end the list" .. cure, hone.interval, { 1, 2, nil, 9 })
  test.fails("hone.interval: a list expected, and the table has a key a; give entries alone: { first, second }", hone.interval, { a = 1 })
  local function with_hole(value) return { value, names.misspelt, value } end
  local function evaluate(suite)
    return function() run:evaluate { policy = policy, suite = suite, judge = judge, row = "x", group = 1 } end
  end
  test.fails('run:evaluate: option "suite": ' .. hole .. cure, evaluate(with_hole(task)))
  test.fails('run:evaluate: option "suite": entry 1 of 2 is nil, and would end the list' .. cure, evaluate { names.misspelt, task })
  test.fails('run:collect: option "teacher": ' .. hole .. cure,
    function() run:collect { teacher = with_hole(policy), suite = { task }, judge = judge, trials = 1 } end)
  local item = { task = task, code = "7 2 2", language = "fake", log_speedup = 0 }
  local function learn(corpus) return function() run:sft { policy = run:policy("bigram"), corpus = corpus } end end
  test.fails('run:sft: option "corpus": items: ' .. hole .. cure, learn { items = with_hole(item) })
  test.fails('run:sft: option "corpus": ' .. hole .. cure, learn(with_hole { items = { item } }))
  test.fails("run:rollout: prompts: " .. hole .. cure,
    function() run:rollout { policy = policy, judge = judge, prompts = with_hole { task = task, messages = "x" } } end)
  test.fails("rng:shuffle: " .. hole .. cure, function() run:rng("x"):shuffle(with_hole(1)) end)
  local groups = roll("7 2 2")
  test.fails("archive:add: " .. hole .. cure, function() run.archive:branch():add(with_hole(groups[1])) end)
  test.begins("archive:add: a list expected, and the table has a key ", function() run.archive:branch():add(groups[1]) end)
  test.begins("run:rewarded: a list expected, and the table has a key ", function() run:rewarded(groups[1]) end)
  test.fails("archive:add: entry 1 is no group; give the list that run:rollout returned", function() run.archive:branch():add { 5 } end)
end

function errors.of_randomness()
  test.fails('math.random is shared by all and does not repeat; use run:rng("name"): rng:uniform(), rng:below(n), rng:pick(list), rng:shuffle(list)',
    function() return math.random() + 0 end)
  test.fails("rng:below: 0 is not at least 1", function() test.run():rng("x"):below(0) end)
  test.fails("rng:pick: the list is empty", function() test.run():rng("x"):pick {} end)
  local function pick(weights) return function() test.run():rng("x"):pick({ "a", "b" }, weights) end end
  test.fails("rng:pick: weight 2 is inf, no finite number of at least 0", pick { 1, math.huge })
  test.fails("rng:pick: weight 1 is -1, no finite number of at least 0", pick { -1, 1 })
  test.fails("rng:pick: weight 2 is nil, no finite number of at least 0", pick { 1 })
  test.fails("rng:pick: the sum of the weights is not finite; divide them by the largest", pick { 1e308, 1e308 })
end

return errors
