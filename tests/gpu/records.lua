-- What CUPTI records of hand-written kernels (verifier.records=cupti) beside what the judge's clock says of them, without CUPTI in their process and
-- with it, which makes every call longer (two judgements, in processes of their own): one row a kernel. Exit status 1 where a kernel is not passed,
-- nothing was recorded, or the record and the clock without CUPTI differ by more than 2 us and 3 %, and 1 us for each further launch of a call (which
-- may overlap, as CUPTI's sum does not show).
--
--   hone run tests/gpu/records.lua [--set only=axpy.good,...] [--set seconds=0.5]
local hone = require "hone"
local only = hone.settings("only", "axpy.good,layer_norm.good,row_sum.good,matmul.good,matmul_half.good,gru_steps.good")
local kernels, seconds = hone.settings("kernels", "scripts/kernels/gpu-basics"), hone.settings("seconds", 0.5)

local function read(path)
    local file <close> = io.open(path)
    return file and file:read("a")
end

local run = hone.run { name = "gpu-records" }
local tasks = {}
for _, task in ipairs(run:suite("gpu-basics")) do tasks[task.name] = task end
local function judge_with(options)
    return run:judge { verifier = run:verifier("cuda", options), timer = run:timer("cuda-events"), reference = run:reference("torch"), benches = 1,
        seconds = seconds, deadline = 90, pool_mb = 16000 }
end
local alone, beside = judge_with {}, judge_with { records = "cupti" }

print(("%-22s %-14s %9s %12s %9s %9s"):format("kernel", "verdict", "clock us", "beside CUPTI", "CUPTI", "differ"))
local off = 0
for name in only:gmatch("[^,]+") do
    local path = kernels .. "/" .. name
    local task = assert(tasks[name:match("^[^.]+")], name .. ": no such task")
    local code = assert(read(path .. ".cu"), path .. ".cu: there is no such file")
    local function judged(judge)
        judge:submit(task, { code = code, plan = read(path .. ".lua") or "", language = "cuda" })
        local _, j = judge:collect()
        return j
    end
    local clock, j = judged(alone), judged(beside)
    local recorded = clock.passed and j.passed and j.seconds.recorded
    if recorded then
        local difference = clock.seconds.candidate - recorded
        if math.abs(difference) > 2e-6 + 0.03 * clock.seconds.candidate + 1e-6 * (clock.facts.steps - 1) then off = off + 1 end
        print(("%-22s %-14s %9.2f %12.2f %9.2f %9.2f"):format(name, j.verdict, 1e6 * clock.seconds.candidate, 1e6 * j.seconds.candidate, 1e6 * recorded,
            1e6 * difference))
    else
        off = off + 1
        print(("%-22s %-14s %s"):format(name, j.verdict, j.reason or "nothing was recorded"))
    end
end
if off > 0 then error(off .. " kernels are not as they should be", 0) end
