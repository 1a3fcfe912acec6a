-- What judging costs: honest programs that the judge has not seen, one after another. Where the time of one judgement goes, and what is left over
-- when the work itself is taken off: overhead = wall - (compiler + candidate + bench), all processor time; the bench's is that of the reference, of
-- making inputs and truth, and of comparing. stolen: by the host, where this is a virtual machine, a core's share; it is a part of the overhead.
--
--   taskset -c 0,1 hone run tests/bench/judge_throughput.lua [--set programs=40] [--set without=age: what a defence costs]
local hone = require "hone"
local count = hone.settings("programs", 40)
local run = hone.run { name = "judge-throughput" }
local judge = run:judge { verifier = run:verifier("cpp"), timer = run:timer("wall"), reference = run:reference("torch"), benches = 1, refresh = 1, without = hone.settings("without", "") }
local suite = run:suite("cpu-basics", { only = require "core_tasks" })
local rng = run:rng("programs")

-- Seconds since boot, and how many of them the host took, mean of all cores.
local function clock()
    local file <close> = assert(io.open("/proc/uptime"))
    local taken, cores = 0, 0
    for line in io.lines("/proc/stat") do
        local ticks = line:match("^cpu%d+ %d+ %d+ %d+ %d+ %d+ %d+ %d+ (%d+)")
        if ticks then taken, cores = taken + ticks / 100, cores + 1 end
    end
    return { now = file:read("n"), taken = taken / math.max(cores, 1) }
end

local walls, sums, before = {}, { build = 0, verify = 0, time = 0, total = 0, bench_cpu = 0, children_cpu = 0 }, nil
local passed = 0
for i = 1, count do
    local task = suite[(i - 1) % #suite + 1]
    if i == #suite + 1 then before = clock() end
    judge:submit(task, { code = task:template(rng), language = "cpp" })
    local _, j = judge:collect()
    if j.passed and i > #suite then -- a task's first program pays for its sets of inputs and truth
        passed = passed + 1
        walls[passed] = j.wall.total
        for key in pairs(sums) do sums[key] = sums[key] + j.wall[key] end
    end
end
table.sort(walls)
local function share(x) return 100 * x / sums.total end
print(("%d programs: median %.2f s, 90th percentile %.2f s a judgement"):format(passed, walls[passed // 2 + 1], walls[math.ceil(0.9 * passed)]))
print(("of the wall time: compile %.0f %%, verify %.0f %%, time %.0f %%"):format(share(sums.build), share(sums.verify), share(sums.time)))
local after = clock()
print(("processor time over wall time: compiler and candidate %.0f %%, bench (reference, oracle) %.0f %%; overhead %.1f %%; stolen %.1f %%"):format(
    share(sums.children_cpu), share(sums.bench_cpu), 100 - share(sums.children_cpu + sums.bench_cpu),
    100 * (after.taken - before.taken) / (after.now - before.now)))
