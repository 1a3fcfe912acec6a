-- Error texts of what is learnt and from what, to the letter.
local hone = require "hone"
local test = require "harness"
local errors = {}

function errors.of_conversations()
  test.run()  -- makes the folder
  local path = test.folder() .. "/conversations.jsonl"
  local function refused(line, cause, cure)
    local file = assert(io.open(path, "w"))
    file:write("\n", line, "\n")
    file:close()
    test.fails(path .. ":2: " .. cause .. "; " .. (cure or 'write {"messages": [{"role": "user", "content": "..."}, '
      .. '{"role": "assistant", "content": "..."}]}'), hone.corpus, path)
  end
  local function talk(message) return '{"messages": [{"role": "user", "content": "q"}, ' .. message .. "]}" end
  refused("{", "is no JSON")
  refused("[]", 'has no list "messages"')
  refused('{"messages": {}}', 'has no list "messages"')
  refused(talk '"a"', "message 2 is no object")
  refused(talk '{"content": "a"}', 'message 2 has no text "role"')
  refused(talk '{"role": "assistant", "content": null}', 'message 2 has no text "content"')
  refused(talk '{"role": "tool", "content": "a"}', 'message 2 has the role "tool"', "the roles are system, user and assistant")
  refused(talk '{"role": "assistant", "content": "a", "weight": 2}', 'message 2 has a "weight" that is neither 0 nor 1',
    "leave it out to learn the answer")
  refused(talk '{"role": "assistant", "content": "a", "weight": 0}', "has no answer to learn",
    "give a message of the role assistant, with a weight that is not 0")
  assert(io.open(path, "w")):close()
  test.fails(path .. ": holds no conversation; write {\"messages\": [{\"role\": \"user\", \"content\": \"...\"}, "
    .. "{\"role\": \"assistant\", \"content\": \"...\"}]}", hone.corpus, path)
  test.fails(test.folder() .. "/absent.jsonl: cannot be read: No such file or directory", hone.corpus, test.folder() .. "/absent.jsonl")
end

function errors.of_learning()
  local policy = test.run():policy("bigram")
  test.fails("policy:learn: no sequences; skip the update where there is nothing to learn", function() policy:learn { sequences = {}, lr = 1 } end)
  test.fails("policy:learn: weight: 1 numbers for 2 tokens", function() policy:learn { sequences = { { ids = { 1, 2 }, weight = { 1 } } }, lr = 1 } end)
  test.fails("policy:learn: sequence 1 has no weights; give weight = {...}, one number a token, or weigh = function",
    function() policy:learn { sequences = { { ids = { 1 } } }, lr = 1 } end)
  test.fails('sequence 1: no key "weights"; did you mean "weight"?', function() policy:score { { ids = { 1 }, weights = { 1 } } } end)
  test.fails("policy:learn: lr = -1 is no finite number of at least 0", function() policy:learn { sequences = { { ids = { 1 }, weight = { 1 } } }, lr = -1 } end)
  test.fails("token ids: entry 2 is 1.5, no token id", function() policy:learn { sequences = { { ids = { 1, 1.5 }, weight = { 1, 1 } } }, lr = 1 } end)
  test.fails("token ids: entry 1 is 4294967297, no token id", function() policy:learn { sequences = { { ids = { 4294967297 }, weight = { 1 } } }, lr = 1 } end)
  test.fails('policy:learn: option "weigh": function expected, got string',
    function() policy:learn { sequences = { { ids = { 1 }, weight = { 1 } } }, lr = 1, weigh = "own" } end)
  local function weighed(weigh) policy:learn { sequences = { { ids = { 1, 2 } } }, lr = 1, weigh = weigh } end
  test.fails("policy:learn: weigh returned nothing for sequence 1; return a list of weights, one number a token", function() weighed(function() end) end)
  test.fails("policy:learn: weights: entry 2 is inf, no finite number", function() weighed(function() return { 0, 1 / 0 } end) end)
  test.fails('policy:learn: metric "ratio" is no finite number; leave out what could not be computed',
    function() weighed(function() return { 0, 1 }, nil, { ratio = 1 / 0 } end) end)
  for text, value in pairs { ["-1"] = -1.0, ["0"] = 0.0, inf = 1 / 0 } do
    local why = ": temperature = " .. text .. " is no finite number above 0; give the temperature of the sampling, 1 where it was greedy"
    test.fails("policy:learn" .. why, function() policy:learn { sequences = { { ids = { 1, 2 }, weight = { 0, 1 } } }, lr = 1, temperature = value } end)
    test.fails("policy:score" .. why, function() policy:score({ { 1, 2 } }, { temperature = value }) end)
  end
  test.fails('policy "bigram-clone": a clone never learns; let the policy learn that it was cloned from, or a further one: run:policy(...), then policy:load',
    function() policy:clone():learn { sequences = { { ids = { 1, 2 }, weight = { 0, 1 } } }, lr = 1 } end)
  test.fails("mine", function() policy:learn { sequences = { { ids = { 1, 2 } } }, lr = 1, weigh = function() error("mine") end } end)
  test.fails('policy "lua": a Lua function has no tokens and no weights; use a policy part such as torch-lm here',
    function() test.run():policy(function() return "" end):encode("x") end)
end

return errors
