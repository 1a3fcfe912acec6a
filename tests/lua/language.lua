-- Where Lua differs here from the Lua of the book.
local hone = require "hone"
local test = require "harness"
local language = {}

function language.pairs_are_sorted()
  local seen = {}
  for k in pairs { b = 1, a = 2, [2] = 3, [1] = 4, [true] = 5, [-1.5] = 6 } do seen[#seen + 1] = tostring(k) end
  test.equal(table.concat(seen, " "), "-1.5 1 2 a b true")
end
function language.pairs_pass_over_what_was_removed()
  local t, seen = { a = 1, b = 2, c = 3 }, {}
  for k in pairs(t) do
    seen[#seen + 1] = k
    t.b = nil
  end
  test.equal(seen, { "a", "c" })
end
function language.pairs_refuse_tables_as_keys()
  test.fails("pairs: a key that is a table has no order that two runs share; use numbers or texts as keys", function() for _ in pairs { [{}] = 1 } do end end)
end
function language.stages_are_files()
  local run = test.run()
  local stage = run.sample_stage
  test.equal(stage(run, { x = 2 }), 6)
  test.equal(run:sample_stage { x = 3 }, 9)
end
function language.documents_go_both_ways()
  local run, task, judge = test.setting()
  local doc = { list = { 1, 2.5, "x", { a = true } }, empty = {} }
  run:step("note", doc)
  test.is(task and judge)
end
function language.coroutines_have_the_api_too()
  local run = test.run()
  local co = coroutine.wrap(function() return run:rng("a"):uniform() end)
  test.equal(co(), run:rng("a"):uniform())
end
function language.part_files_take_options()
  local run, task, judge = test.setting()
  local policy = run:policy("sample", { text = "7 2 2" })
  local group = run:rollout { policy = policy, judge = judge, prompts = { { task = task, messages = run:write(test.prompt(run), task) } } }[1]
  test.equal(group.members[1].text, "7 2 2")
end
function language.a_request_is_its_members_own()
  local run, task, judge = test.setting()
  local seen = {}
  local policy = run:policy(function(request)
    seen[#seen + 1] = { #request.messages, request.messages[1].text, request.exemplars[1].code }
    request.messages[1].text, request.messages[2], request.exemplars[1].code = "mine", "more", "mine"
    return "7 2 2"
  end)
  local messages, exemplars = run:write(test.prompt(run), task), { { hash = "h", code = "7 1", speedup = { estimate = 1 } } }
  local prompts = { { task = task, messages = messages, exemplars = exemplars } }
  local group = run:rollout { policy = policy, judge = judge, prompts = prompts, group = 2 }[1]
  test.equal(seen, { { 1, "square 300", "7 1" }, { 1, "square 300", "7 1" } })
  test.equal({ #group.prompt.messages, group.prompt.messages[1].text, exemplars[1].code }, { 1, "square 300", "7 1" })
end

return language
