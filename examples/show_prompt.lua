-- Prints the prompt for a task as a language model gets it: for a kernel with a launch plan (cuda), a module of torch (python) or a C++ function (cpp).
-- With `program` it holds that program as an earlier one, with a made-up score.
--
--   hone run examples/show_prompt.lua --set suite=cpu-basics --set task=softmax --set verifier=cpp [--set program=FILE --set score=1.4]
local hone = require "hone"

local suite, name, verifier = hone.settings("suite", "cpu-basics"), hone.settings("task", "softmax"), hone.settings("verifier", "cpp")
local program, score = hone.settings("program", ""), hone.settings("score", 1.4)
local run = hone.run { name = "show-prompt" }
local task = assert(run:suite(suite, { role = "all", only = { name } })[1], "no task " .. name)
local judge = run:judge { verifier = run:verifier(verifier), timer = run:timer(verifier:find("cpu") and "wall" or verifier == "cpp" and "wall" or "cuda-wall"),
    reference = run:reference("torch") }
local exemplars = {}
if program ~= "" then
    local file <close> = assert(io.open(program))
    exemplars[1] = { hash = ("0"):rep(64), code = file:read("a"), log_speedup = { estimate = math.log(score) }, unit = "s" }
end
for _, message in ipairs(run:write(run:prompt("contrastive"), task, exemplars, nil, judge)) do
    print(("----- %s\n%s"):format(message.role, message.text))
end
