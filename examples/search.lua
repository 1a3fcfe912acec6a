-- A frozen model still improves: its verified programs go into the archive, and the next prompt shows two of them with their scores. No
-- gradient is taken, so any language model behind an API will do.
--
--   hone run examples/search.lua --set model=openai/gpt-4o --set task=softmax
local hone = require "hone"
local report = require "hone.report"

local model, name, steps = hone.settings("model", "openai/gpt-4o"), hone.settings("task", "softmax"), hone.settings("steps", 8)
local run = hone.run { name = "search" }
local policy, prompt = run:policy("http", { model = model }), run:prompt("contrastive")
local judge = run:judge { verifier = run:verifier("cpp"), timer = run:timer("wall"), reference = run:reference("torch") }
local suite = run:suite("cpu-basics", { only = { name } })

run:contrastive_rl { policy = policy, prompt = prompt, suite = suite, judge = judge, steps = steps, group = 4, max_tokens = 8192 }
print(report.comparison(run, judge, suite[1], { items = {} }))
