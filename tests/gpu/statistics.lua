-- Are the judge's statements about speed true on a GPU? Hand-written kernels are judged against themselves with a step behind them that waits
-- for a known time, so that the true ratio is known: how often do intervals hold it, how often is a difference found that is there, or one that
-- is not?
--
--   hone run tests/gpu/statistics.lua [--set trials=6] [--set seconds=1] [--set precision=0.005] [--set fresh=true] [--set only=axpy] [--set show=true]
--     [--set timer=cuda-probe] [--set differences=false (half widths alone)]
local hone = require "hone"
local trials, seconds, precision = hone.settings("trials", 6), hone.settings("seconds", 1.0), hone.settings("precision", 0.005)
local most = hone.settings("pairs", 1024)
local folder, pool = hone.settings("kernels", "scripts/kernels/gpu-basics"), hone.settings("pool_mb", 24000)
local names = {
    "axpy", "gated", "gelu", "swiglu", "bias_gelu", "softmax", "log_softmax", "layer_norm", "rms_norm", "batch_norm", "group_norm", "row_sum",
    "column_sum", "cumsum", "mse_loss", "cross_entropy", "transpose", "rope", "matmul", "conv_bias_relu", "matmul_half", "attention",
}
local show, only, fresh = hone.settings("show", false), hone.settings("only", ""), hone.settings("fresh", false)
local differences = hone.settings("differences", true)
local planted = differences and { 0, 0.03, 0.1 } or { 0 } -- shares by which one side waits longer
if only ~= "" then
    names = {}
    for name in only:gmatch("[^,]+") do names[#names + 1] = name end
end
local delay = [[

extern "C" __global__ void wait_for(int nanoseconds) {
    unsigned long long begun, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begun));
    do { asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)); } while ((long long)(now - begun) < nanoseconds);
}
]]

local function read(path)
    local file <close> = assert(io.open(path))
    return file:read("a")
end

local run = hone.run { name = hone.settings("name", "gpu-statistics") }
local judge = run:judge { verifier = run:verifier("cuda"), timer = run:timer(hone.settings("timer", "cuda-events")), reference = run:reference("torch"), benches = 1,
    refresh = 1, seconds = seconds, precision = precision, fresh = fresh, pairs = most, pool_mb = pool, deadline = 30 }
local tasks = {}
for _, task in ipairs(run:suite("gpu-basics", { only = names })) do tasks[task.name] = task end

-- The kernel's plan with one more step.
local function slowed(name, nanoseconds)
    local table_begun = assert(read(folder .. "/" .. name .. ".good.lua"):match("^(.-),?%s*}%s*$"), name .. ": its plan does not end with its table")
    local step = (', { kernel = "wait_for", grid = 1, block = 1, args = { int(%d) } } }'):format(nanoseconds)
    return { code = read(folder .. "/" .. name .. ".good.cu") .. delay, plan = table_begun .. step, language = "cuda" }
end

local usual = {} -- seconds of each kernel, from its first judgement
local function judged(name, share)
    judge:submit(tasks[name], slowed(name, math.floor(share * 1e9 * (usual[name] or 0))), { against = slowed(name, 0) })
    local _, j = judge:collect()
    if j.passed and show then
        local gaps = {}
        for key, value in pairs(j.clock) do if key:match("^gap_%d") then gaps[#gaps + 1] = key:sub(1, 1) .. key:sub(-1) .. ":" .. ("%.2f"):format(1e6 * value) end end
        table.sort(gaps)
        print(("  %s %.2f: %.4f +- %.4f, noise %.3f, %d pairs in %d processes, %.2f %.2f us, clocks %s"):format(name, share, j.log_speedup.estimate,
            (j.log_speedup.upper - j.log_speedup.lower) / 2, j.noise, j.pairs, j.processes or 1, 1e6 * j.seconds.candidate, 1e6 * j.seconds.baseline, table.concat(gaps, " ")))
    end
    if j.passed then usual[name] = usual[name] or j.seconds.baseline
    else print(name .. ": " .. j.verdict .. " " .. (j.reason or "")) end
    return j
end

local function middle(list)
    table.sort(list)
    return list[#list // 2 + 1] or 0 / 0
end

local sum, fine, halves, n, kept, lost = {}, { n = 0, found = 0 }, {}, 0, 0, 0
for _, share in ipairs { 0, 0.03, 0.1 } do sum[share] = { n = 0, found = 0 } end
print(("%-16s %8s %8s %10s %9s %9s %10s"):format("kernel", "us", "floor", "interval", "A/A other", "3 % found", "10 % found"))
for _, name in ipairs(names) do
    if differences then judged(name, 0) end -- pays for truth, and tells the usual time
    local own, hold = {}, 0
    local cell = { [0] = { n = 0, found = 0 }, [0.03] = { n = 0, found = 0 }, [0.1] = { n = 0, found = 0 } }
    for _, share in ipairs(planted) do
        for _ = 1, trials do
            local j = judged(name, share)
            if j.passed then
                local truth = -math.log(1 + share)
                if share == 0 then own[#own + 1] = (j.log_speedup.upper - j.log_speedup.lower) / 2 end
                hold = hold + ((j.log_speedup.lower <= truth and truth <= j.log_speedup.upper) and 1 or 0)
                cell[share].n, cell[share].found = cell[share].n + 1, cell[share].found + (j.outcome ~= "ambiguous" and 1 or 0)
            else lost = lost + 1 end
        end
        sum[share].n, sum[share].found = sum[share].n + cell[share].n, sum[share].found + cell[share].found
        n = n + cell[share].n
    end
    kept = kept + hold
    local floor = middle(own)
    halves[#halves + 1] = floor
    if floor < 0.01 then fine.n, fine.found = fine.n + cell[0.03].n, fine.found + cell[0.03].found end
    print(("%-16s %8.1f %6.2f %% %10d %9d %9d %10d"):format(name, 1e6 * (usual[name] or 0 / 0), 100 * floor, hold, cell[0].found, cell[0.03].found,
        cell[0.1].found))
end
local function share(a, b) return b > 0 and 100 * a / b or 0 / 0 end
print(("intervals that hold the true ratio: %d of %d (%.1f %%); %d judgements lost"):format(kept, n, share(kept, n), lost))
print(("median half width %.2f %%"):format(100 * middle(halves)))
print(("a kernel against itself, found different: %d of %d (%.1f %%)"):format(sum[0].found, sum[0].n, share(sum[0].found, sum[0].n)))
if differences then
    print(("3 %% slower, found: %d of %d (%.1f %%); where the floor is below 1 %%: %d of %d (%.1f %%)"):format(sum[0.03].found, sum[0.03].n,
        share(sum[0.03].found, sum[0.03].n), fine.found, fine.n, share(fine.found, fine.n)))
    print(("10 %% slower, found: %d of %d (%.1f %%)"):format(sum[0.1].found, sum[0.1].n, share(sum[0.1].found, sum[0.1].n)))
end
if lost > 0 then error(lost .. " judgements of good kernels lost") end
