-- What half widths after promotion are made of: by how much the times of one kernel differ from process to process, from call to call, and what
-- events add in each process. A kernel is judged against itself, every block of pairs in fresh processes.
--
--   hone run tests/gpu/spread.lua [--set only=axpy,layer_norm] [--set seconds=6]
local hone = require "hone"
local only, seconds = hone.settings("only", "axpy,layer_norm,row_sum"), hone.settings("seconds", 6.0)
local folder, pool = hone.settings("kernels", "scripts/kernels/gpu-basics"), hone.settings("pool_mb", 16000)
local most, blocks = 256, 32 -- pairs; blocks of them (judge/timing/sequential_test.cpp)

local function read(path)
    local file <close> = assert(io.open(path))
    return file:read("a")
end

local function deviation(list)
    local mean, squares = 0, 0
    for _, x in ipairs(list) do mean = mean + x / #list end
    for _, x in ipairs(list) do squares = squares + (x - mean) ^ 2 end
    return math.sqrt(squares / math.max(1, #list - 1)), mean
end

local names = {}
for name in only:gmatch("[^,]+") do names[#names + 1] = name end
local run = hone.run { name = "gpu-spread" }
local judge = run:judge { verifier = run:verifier("cuda"), timer = run:timer("cuda-events"), reference = run:reference("torch"), benches = 1, refresh = 1,
    seconds = seconds, precision = 0.001, fresh = true, pairs = most, pool_mb = pool, deadline = 60 }

print(("%-14s %8s %6s %6s %11s %11s %11s %11s"):format("kernel", "us", "pairs", "procs", "s a process", "half width", "between us", "within us"))
for _, task in ipairs(run:suite("gpu-basics", { only = names })) do
    local kernel = { code = read(folder .. "/" .. task.name .. ".good.cu"), plan = read(folder .. "/" .. task.name .. ".good.lua"), language = "cuda" }
    judge:submit(task, kernel) -- pays for truth
    judge:collect()
    judge:submit(task, kernel, { against = { code = kernel.code .. "\n// the other\n", plan = kernel.plan, language = "cuda" } })
    local _, j = judge:collect()
    if not j.passed then error(task.name .. ": " .. j.verdict .. " " .. (j.reason or "")) end
    local means, within, zeros, size = {}, {}, {}, most // blocks
    for _, side in ipairs { j.samples.candidate, j.samples.baseline } do
        for first = 1, #side - size + 1, size do
            local one = {}
            for i = first, first + size - 1 do one[#one + 1] = 1e6 * side[i] end
            within[#within + 1], means[#means + 1] = deviation(one)
        end
    end
    for key, value in pairs(j.clock) do if key:match("^events_run_") then zeros[#zeros + 1] = 1e6 * value end end
    local _, call = deviation(within)
    print(("%-14s %8.2f %6d %6d %11.3f %9.2f %% %11.3f %11.3f"):format(task.name, 1e6 * j.seconds.candidate, j.pairs, j.processes, j.wall.time / j.processes,
        50 * (j.log_speedup.upper - j.log_speedup.lower), deviation(means), call))
    local spread, usual = deviation(zeros)
    print(("%-14s events add %.3f us in %d processes, deviation %.3f us"):format("", usual, #zeros, spread))
end
