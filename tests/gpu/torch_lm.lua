-- policy.torch-lm on devices, one after the other: the same answers are asked for from the same seed, learnt from and scored on each. One table
-- of speeds, and how far apart the log-probabilities are. A GPU comes first: LibTorch looks for one only once. Exit status 1 if a device differs.
--
--   hone run tests/gpu/torch_lm.lua [--set devices=cuda,cpu] [--set model=FOLDER] [--set groups=32] [--set group=8] [--set tokens=200] [--set dtype=bfloat16]
local hone = require "hone"
local devices, model = hone.settings("devices", "cuda,cpu"), hone.settings("model", "tiny")
local groups, group, tokens = hone.settings("groups", 32), hone.settings("group", 8), hone.settings("tokens", 200)
local updates, repeats = hone.settings("updates", 10), hone.settings("repeats", 3)
local tolerance, dtype = hone.settings("tolerance", 1e-4), hone.settings("dtype", "float32")

local function line_of(command)
    local output <close> = assert(io.popen(command))
    return output:read("l")
end
local folder = line_of "mktemp -d"

local function seconds_of(body)
    local begun = tonumber(line_of "date +%s.%N")
    local result = body()
    return tonumber(line_of "date +%s.%N") - begun, result
end

local function sequences_of(members)
    local sequences, n = {}, 0
    for i, member in ipairs(members) do
        local ids, weight = {}, {}
        for _, id in ipairs(member.prompt_ids) do ids[#ids + 1], weight[#weight + 1] = id, 0 end
        for _, id in ipairs(member.ids) do ids[#ids + 1], weight[#weight + 1] = id, 1 / (#members * tokens) end
        sequences[i], n = { ids = ids, weight = weight }, n + #ids
    end
    return sequences, n
end

-- One device: its run has the same seed as the others', so its rollouts draw the same numbers.
local function measure(device, number)
    local run = hone.run { name = "torch-lm", seed = 1, dir = folder .. "/" .. number }
    local policy = run:policy("torch-lm", { model = model, device = device, dtype = dtype, seed = 3 })
    local judge = run:judge { verifier = run:verifier("fake"), timer = run:timer("virtual"), reference = run:reference("lua") }
    local task, prompts = run:suite("fake")[1], {}
    for i = 1, groups do prompts[i] = { task = task, messages = { { role = "user", text = "write a kernel, number " .. i } } } end
    local m = { device = device, name = policy:facts().device, sampling = math.huge, learning = math.huge, scoring = math.huge, members = {} }
    for r = 1, repeats do  -- the first warms up
        local seconds, answers = seconds_of(function()
            return run:rollout { policy = policy, judge = judge, prompts = prompts, group = group, temperature = 1, max_tokens = tokens }
        end)
        m.sampling = math.min(m.sampling, seconds)
        for _, answered in ipairs(r == 1 and answers or {}) do table.move(answered.members, 1, group, #m.members + 1, m.members) end
    end
    m.run, m.policy = run, policy
    return m
end

local function score_and_learn(m, sequences)
    for r = 1, repeats do
        local seconds, scores = seconds_of(function() return m.policy:score(sequences) end)
        m.scoring, m.before = math.min(m.scoring, seconds), m.before or scores
    end
    m.objectives = {}
    for step = 1, updates do
        local seconds, learnt = seconds_of(function()
            return m.policy:learn { sequences = sequences, lr = 1e-3, max_grad_norm = 1, weight_decay = 0.05 }
        end)
        m.learning, m.objectives[step] = math.min(m.learning, seconds), learnt.objective
    end
    m.after = m.policy:score(sequences)
end

local function sampled(members)
    local n = 0
    for _, member in ipairs(members) do n = n + #member.ids end
    return n
end

-- NaN is no number to be at most anything: it counts as infinite.
local function distance(a, b)
    local d = math.abs(a - b)
    return d == d and d or math.huge
end

local function largest_difference(a, b)
    local most = 0
    for i, scores in ipairs(a) do
        for t, logp in ipairs(scores.logp) do most = math.max(most, distance(logp, b[i].logp[t])) end
    end
    return most
end

-- What was sampled against what the same weights score it with.
local function sampled_against_scored(m)
    local most = 0
    for i, member in ipairs(m.members) do
        for t, logp in ipairs(member.logp) do most = math.max(most, distance(logp, m.before[i].logp[#member.prompt_ids + t])) end
    end
    return most
end

local function same_answers(a, b)
    local same = 0
    for i, member in ipairs(a.members) do same = same + (table.concat(member.ids, " ") == table.concat(b.members[i].ids, " ") and 1 or 0) end
    return same
end

local measured = {}
for device in devices:gmatch("[^,]+") do measured[#measured + 1] = measure(device, #measured + 1) end
local first = measured[1]
local sequences, n = sequences_of(first.members)  -- of the first device, for all
print(string.format("%d answers of up to %d tokens; %d sequences with %d tokens to learn from", #first.members, tokens, #sequences, n))
local row = "%-24s %12s %12s %12s %10s %14s"
print(row:format("device", "sampled/s", "scored/s", "learnt/s", "objective", "own logp off"))
local failed = false
for i, m in ipairs(measured) do
    score_and_learn(m, sequences)
    local off = i == 1 and sampled_against_scored(m) or nil
    failed = failed or (off or 0) > tolerance
    print(row:format(m.name, string.format("%.0f", sampled(m.members) / m.sampling), string.format("%.0f", n / m.scoring),
        string.format("%.0f", n / m.learning), string.format("%.4f", m.objectives[updates]), off and string.format("%.1e", off) or ""))
end
for i = 2, #measured do
    local m = measured[i]
    local before, after = largest_difference(first.before, m.before), largest_difference(first.after, m.after)
    local same = same_answers(first, m)
    print(string.format("%s against %s: %d of %d answers the same, log-probabilities differ by at most %.1e, after %d updates by %.1e",
        first.device, m.device, same, #first.members, before, updates, after))
    -- where roundings differ, a draw may fall on the other side of a border, and updates grow apart
    failed = failed or before > tolerance or after > 100 * tolerance or same < 0.9 * #first.members
end
if failed then error("the devices differ by more than " .. tolerance, 0) end

-- The later half of a saved model's weights becomes NaN.
local function damage(path)
    local file <close> = assert(io.open(path, "r+b"))
    local bytes = file:seek("end")
    file:seek("set", bytes // 8 * 4)
    file:write(("\0\0\xc0\x7f"):rep((bytes - bytes // 8 * 4) // 4))
end

-- Neither the likeliest token nor a drawn one is an answer of such weights.
first.policy:save(folder .. "/damaged")
damage(folder .. "/damaged/model.safetensors")
for i, rule in ipairs { { temperature = 0 }, { temperature = 1 }, { temperature = 1, top_k = 5 }, { temperature = 1, min_p = 0.1 } } do
    local run = hone.run { name = "damaged", seed = 1, dir = folder .. "/damaged-run-" .. i }
    local policy = run:policy("torch-lm", { model = folder .. "/damaged", device = first.device, dtype = dtype })
    local judge = run:judge { verifier = run:verifier("fake"), timer = run:timer("virtual"), reference = run:reference("lua") }
    local prompt = { task = run:suite("fake")[1], messages = { { role = "user", text = "write a kernel" } } }
    local asked = { policy = policy, judge = judge, prompts = { prompt }, group = 2, max_tokens = 8 }
    for key, value in pairs(rule) do asked[key] = value end
    local answered, why = pcall(run.rollout, run, asked)
    assert(not answered and tostring(why):find("no finite numbers", 1, true), "NaN weights gave an answer on " .. first.name .. ": " .. tostring(why))
end
print("NaN weights give no answer under four rules of drawing")
