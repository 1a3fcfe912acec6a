-- What the files here share: runs in a folder of their own, and checks that name the line of the test.
local hone = require "hone"
local test = {}
local folder, count = hone.settings("folder", ""), 0
test.number, test.switch = hone.settings("given.number", 1), hone.settings("given.switch", false)
test.fraction, test.text = hone.settings("given.number", 1.5), hone.settings("absent", "text")

function test.run(options)
  count = count + 1
  options = options or {}
  options.dir = folder .. "/run" .. count
  return hone.run(options)
end

function test.folder() return folder end

local function show(value)
  if type(value) ~= "table" then return type(value) == "string" and string.format("%q", value) or tostring(value) end
  local parts = {}
  for k, v in pairs(value) do parts[#parts + 1] = tostring(k) .. "=" .. show(v) end
  return "{" .. table.concat(parts, ", ") .. "}"
end

function test.equal(got, wanted)
  if show(got) ~= show(wanted) then error("got " .. show(got) .. ", wanted " .. show(wanted), 2) end
end

function test.is(condition, what)
  if not condition then error(what or "is not so", 2) end
end

-- The error's text without its place must be the wanted one, to the letter.
function test.fails(wanted, f, ...)
  local fine, text = pcall(f, ...)
  if fine then error("nothing failed; wanted: " .. wanted, 2) end
  local place, rest = tostring(text):match("^([%w_./-]+:%d+): (.*)$")
  if not place then error("no place in: " .. tostring(text), 2) end
  if rest ~= wanted then error("\n   got: " .. rest .. "\nwanted: " .. wanted, 2) end
end

-- Likewise, where the text goes on with a list that is long.
function test.begins(wanted, f)
  local fine, text = pcall(f)
  local rest = not fine and tostring(text):match("^[%w_./-]+:%d+: (.*)$")
  if not rest or rest:sub(1, #wanted) ~= wanted then error("\n   got: " .. tostring(rest or text) .. "\nwanted: " .. wanted, 2) end
end

-- A judge on the fake device: a program is a few integers, the first of them its algorithm.
function test.judge(run)
  return run:judge { verifier = run:verifier("fake"), timer = run:timer("virtual"), reference = run:reference("lua"), seed = "7" }
end

-- Messages that say the task, whole answers.
function test.prompt(run)
  return run:prompt(function(task) return { { role = "user", text = task.spec }, fenced = false } end)
end

-- All of a stage on the fake device, where time is virtual, and a corpus of the template teacher.
function test.stage_setting()
  local run = test.run { seed = 7 }
  local it = { run = run, prompt = run:prompt "compact", judge = test.judge(run), suite = run:suite "fake", teacher = run:policy "template" }
  it.corpus = run:collect { teacher = it.teacher, suite = it.suite, judge = it.judge, trials = 12, keep = 6, row = "teacher" }
  return it
end

-- The fake task "square" and a policy that always gives the same program.
function test.setting()
  local run = test.run()
  local task = run:suite("fake", { only = "square" })[1]
  local judge = test.judge(run)
  local messages = run:write(test.prompt(run), task)
  local function roll(text, group)
    local policy = run:policy(function() return text end)
    return run:rollout { policy = policy, judge = judge, prompts = { { task = task, messages = messages } }, group = group or 1 }
  end
  return run, task, judge, roll
end

return test
