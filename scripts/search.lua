-- Search with a policy that does not learn, and the same number of answers for each way to ask: sampling (no program is shown), contrastive
-- prompting (two programs of different speed, from buckets of scores) and evolutionary prompting (the two best programs of one of four
-- islands). Each way has an archive of its own, which is empty at first. All three are run:contrastive_rl with other `exemplars`.
--
--   hone run scripts/search.lua --set policy=http --set model=openai/gpt-5-mini --set tasks=softmax,row_sum --set steps=8
--
-- By default a mock answers: where no program is shown it writes as the template teacher does; else it takes the faster of the programs that
-- are shown and draws a share of its choices anew (change). So its table says what the ways of asking do with one simple rule of change, and
-- nothing about language models.
local hone = require "hone"
local report = require "hone.report"

local id, model = hone.settings("policy", "mock"), hone.settings("model", "")
local names, steps, group = hone.settings("tasks", "softmax,row_sum,matvec"), hone.settings("steps", 6), hone.settings("group", 4)
local suite_name, device = hone.settings("suite", "cpu-basics"), hone.settings("device", "cpu")
if device ~= "cpu" and device ~= "cuda" then error(("--set device=%s: no such device; devices: cpu, cuda"):format(device), 0) end
local change, seed = hone.settings("change", 0.2), hone.settings("seed", 1)

local run = hone.run { name = "search", seed = seed }

-- The choices of a parent, read from the first line of its program.
local function choices_of(exemplar)
    local list = {}
    for number in exemplar.code:match("^// choices:([%d ]*)\n"):gmatch("%d+") do list[#list + 1] = tonumber(number) end
    return list
end

local function faster(exemplars)
    local best = exemplars[1]
    for _, e in ipairs(exemplars) do
        if e.log_speedup.lower > best.log_speedup.lower then best = e end
    end
    return best
end

local function mock(request)
    local exemplars = request.exemplars or {}
    local parent, made = #exemplars > 0 and choices_of(faster(exemplars)) or {}, {}
    local draw = {}
    function draw:pick(list, weights)
        local at = parent[#made + 1]
        if not at or (weights[at] or 0) == 0 or request.rng:uniform() < change then at = select(2, request.rng:pick(list, weights)) end
        made[#made + 1] = at
        return list[at], at
    end
    local code = request.task:template(draw)
    return "// choices: " .. table.concat(made, " ") .. "\n" .. code
end

if id == "mock" and model ~= "" then error("the mock has no model; write --set policy=http too", 0) end
-- For policies that are functions: the task, and the programs with their scores. The whole answer is the program.
local function plain(task, exemplars)
    local text = task.statement .. "\n"
    for _, e in ipairs(exemplars) do
        text = text .. ("\nThis program is %.2f times as fast as the reference:\n%s\n"):format(e.speedup.estimate, e.code)
    end
    return { { role = "user", text = text }, fenced = false }
end

local policy = id == "mock" and run:policy(mock) or run:policy(id, model ~= "" and { model = model } or {})
local prompt = not policy:facts().speaks and run:prompt(plain) or nil -- else what the stage presets for the policy
local parts = device == "cuda" and { verifier = "cuda", timer = "cuda-events" } or { verifier = "cpp", timer = "wall" }
local verifier, timer, reference = run:verifier(parts.verifier), run:timer(parts.timer), run:reference("torch")
local judge = run:judge { verifier = verifier, timer = timer, reference = reference, seconds = 0.03, precision = 0.1 }
local fresh = run:judge { verifier = verifier, timer = timer, reference = reference, refresh = 1 } -- measures the best anew, and at length
local only = {}
for name in names:gmatch("[^,]+") do only[#only + 1] = name end
local suite = run:suite(suite_name, { only = only })

local ways = { { "sampling", "none" }, { "contrastive", "bucket" }, { "evolution", "island" } }
for _, way in ipairs(ways) do way.archive = run.archive:branch() end -- before any of them has found something
for _, way in ipairs(ways) do
    local found = run:contrastive_rl {
        policy = policy, prompt = prompt, suite = suite, judge = judge, steps = steps, group = group, exemplars = way[2], archive = way.archive, train = false,
        stage = way[1],
    }
    local losses = {}
    local again, note = report.measured_again(fresh, found.samples, suite, losses)
    if note then run:step(way[1], { note = note }) end
    run:record(way[1], report.row(found.samples, suite, again, nil, losses))
end
print(run:report())
