-- What judging costs on a GPU: hand-written kernels that the judge has not seen (each is told apart by a line of comment), first one after another,
-- then as many at once as there are benches. A task's first kernel, which pays for inputs and truth, is left out.
--
--   hone run tests/gpu/throughput.lua [--set rounds=4] [--set benches=4] [--set lines=0] [--set precision=0.02] [--set seconds=0.3]
local hone = require "hone"
local rounds, benches, lines = hone.settings("rounds", 4), hone.settings("benches", 4), hone.settings("lines", 0)
local precision, seconds, pool = hone.settings("precision", 0.02), hone.settings("seconds", 0.3), hone.settings("pool_mb", 24000)
local folder, suite = hone.settings("kernels", "scripts/kernels/gpu-basics"), hone.settings("suite", "gpu-basics")
local names = {
    "softmax.good", "layer_norm.good", "matmul.good", "matmul_half.good", "conv_bias_relu.good", "attention.good", "masked_softmax.good",
    "low_rank.good", "grouped_conv.good", "matmul_gelu_half.good", "batched_matmul.good", "axpy.good",
}

local function read(path)
    local file <close> = io.open(path)
    return file and file:read("a")
end

local kernels, wanted = {}, {}
for _, name in ipairs(names) do
    local code = assert(read(folder .. "/" .. name .. ".cu"), name)
    if select(2, code:gsub("\n", "")) >= lines then
        kernels[#kernels + 1] = { task = name:match("^[^.]+"), code = code, plan = read(folder .. "/" .. name .. ".lua") or "" }
        wanted[#wanted + 1] = kernels[#kernels].task
    end
end

local run = hone.run { name = "gpu-throughput" }
local tasks = {}
for _, task in ipairs(run:suite(suite, { only = wanted })) do tasks[task.name] = task end
local parts = { verifier = run:verifier("cuda"), timer = run:timer("cuda-probe"), reference = run:reference("torch") }

local function judge_with(n)
    return run:judge { verifier = parts.verifier, timer = parts.timer, reference = parts.reference, benches = n, refresh = 1, precision = precision,
        seconds = seconds, pairs = 128, pool_mb = pool, deadline = 20 }
end

local number = 0
local function submit(judge, kernel)
    number = number + 1
    judge:submit(tasks[kernel.task], { code = kernel.code .. "\n// " .. number .. "\n", plan = kernel.plan, language = "cuda" })
end

local function quantile(list, q)
    table.sort(list)
    return list[math.max(1, math.ceil(q * #list))]
end

local walls, halves, sums, lost = {}, {}, { build = 0, verify = 0, time = 0, total = 0 }, 0
local alone = judge_with(1)
for _, kernel in ipairs(kernels) do
    for round = 0, rounds do
        submit(alone, kernel)
        local _, j = alone:collect()
        if not j.passed then
            lost = lost + 1
            print(kernel.task .. ": " .. j.verdict .. " " .. (j.reason or ""))
        elseif round > 0 then
            walls[#walls + 1], halves[#halves + 1] = j.wall.total, (j.speedup.upper - j.speedup.lower) / 2
            for key in pairs(sums) do sums[key] = sums[key] + j.wall[key] end
        end
    end
end
local function share(x) return 100 * x / sums.total end
print(("%d kernels one by one: median %.3f s, 90th percentile %.3f s; median half width %.1f %%; %d lost"):format(#walls, quantile(walls, 0.5),
    quantile(walls, 0.9), 100 * quantile(halves, 0.5), lost))
print(("of the wall time: build %.0f %%, verify %.0f %%, time %.0f %%"):format(share(sums.build), share(sums.verify), share(sums.time)))

local many = judge_with(benches)
local function wave(n)
    local begun = run:spent().total or 0
    for _ = 1, n do for _, kernel in ipairs(kernels) do submit(many, kernel) end end
    local passed = 0
    for _ = 1, n * #kernels do
        local _, j = many:collect()
        if j.passed then passed = passed + 1 end
    end
    return passed, (run:spent().total or 0) - begun
end
wave(benches) -- each bench makes its own truths
local passed, took = wave(rounds)
print(("%d at once: %d passed in %.1f s, %.1f a second"):format(benches, passed, took, passed / took))
if lost > 0 then error(lost .. " judgements of good kernels lost") end
