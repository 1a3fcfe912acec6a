-- What judging costs on a GPU: hand-written kernels that the judge has not seen (each is told apart by a line of comment), all of the suite one
-- after another, then some as many at once as there are benches. A task's first kernel, which pays for inputs and truth, is left out.
--
--   hone run tests/gpu/throughput.lua [--set rounds=1 (0: at once only)] [--set benches=8] [--set waves=4] [--set precision=0.02] [--set pairs=64] [--set show=true]
--       [--set every=6] [--set only=matmul.good,axpy.good] [--set without=age: what a defence costs]
local hone = require "hone"
local rounds, benches, waves = hone.settings("rounds", 1), hone.settings("benches", 8), hone.settings("waves", 4)
local share_at_once = hone.settings("every", 6) -- of the suite's kernels, so many make one that is judged at once with others
local precision, seconds, most = hone.settings("precision", 0.02), hone.settings("seconds", 0.3), hone.settings("pairs", 64)
local pool, show, only = hone.settings("pool_mb", 90000), hone.settings("show", false), hone.settings("only", "")
local without = hone.settings("without", "")
local folder, suite = hone.settings("kernels", "scripts/kernels/gpu-basics"), hone.settings("suite", "gpu-basics")

local function read(path)
    local file <close> = io.open(path)
    return file and file:read("a")
end

local kernels, wanted, few = {}, {}, {}
local listing <close> = assert(io.popen("ls '" .. folder .. "'"))
for file in listing:lines() do
    local name = file:match("^(.+)%.cu$")
    if name and (only == "" or ("," .. only .. ","):find("," .. name .. ",", 1, true)) then
        local kernel = { name = name, task = name:match("^[^.]+"), code = read(folder .. "/" .. file), plan = read(folder .. "/" .. name .. ".lua") or "" }
        kernel.lines = select(2, kernel.code:gsub("\n", ""))
        kernels[#kernels + 1], wanted[#wanted + 1] = kernel, kernel.task
        if #kernels % share_at_once == 0 then few[#few + 1] = kernel end
    end
end

local run = hone.run { name = "gpu-throughput" }
local tasks = {}
for _, task in ipairs(run:suite(suite, { only = wanted })) do tasks[task.name] = task end
local parts = { verifier = run:verifier("cuda"), timer = run:timer("cuda-events"), reference = run:reference("torch") }

local function judge_with(n)
    return run:judge { verifier = parts.verifier, timer = parts.timer, reference = parts.reference, benches = n, refresh = 1, precision = precision,
        seconds = seconds, pairs = most, pool_mb = math.max(2000, pool // n), deadline = 20, without = without }
end

local number = 0
local function submit(judge, kernel)
    number = number + 1
    judge:submit(tasks[kernel.task], { code = kernel.code .. "\n// " .. number .. "\n", plan = kernel.plan, language = "cuda" })
end

local function quantile(list, q)
    table.sort(list)
    return list[math.max(1, math.ceil(q * #list))] or 0 / 0
end

-- One after another; the number of good kernels that were lost.
local function alone()
    local walls, long_walls, halves, sums, lost = {}, {}, {}, { build = 0, verify = 0, time = 0, total = 0 }, 0
    local judge, last = judge_with(1), nil
    local function note(kernel, j)
        walls[#walls + 1], halves[#halves + 1] = j.wall.total, (j.log_speedup.upper - j.log_speedup.lower) / 2
        if kernel.lines >= 80 then long_walls[#long_walls + 1] = j.wall.total end
        for key in pairs(sums) do sums[key] = sums[key] + j.wall[key] end
        if not show then return end
        print(("  %-24s %3d lines: build %.3f (compiler %.3f), verify %.3f, time %.3f (%2d pairs, %.1f %%), total %.3f s; independent %+.2f us"):format(
            kernel.name, kernel.lines, j.wall.build, j.facts and j.facts.build_seconds or 0 / 0, j.wall.verify, j.wall.time, j.pairs,
            100 * halves[#halves], j.wall.total, 1e6 * ((j.seconds.independent or 0 / 0) - j.seconds.candidate)))
    end
    for _, kernel in ipairs(kernels) do
        for round = last == kernel.task and 1 or 0, rounds do
            submit(judge, kernel)
            local _, j = judge:collect()
            if not j.passed then
                lost = lost + 1
                print(kernel.name .. ": " .. j.verdict .. " " .. (j.reason or ""))
            elseif round > 0 then
                note(kernel, j)
            end
        end
        last = kernel.task
    end
    local function share(x) return 100 * x / sums.total end
    print(("%d kernels one by one: median %.3f s, 90th percentile %.3f s; median half width %.1f %%; %d lost"):format(#walls, quantile(walls, 0.5),
        quantile(walls, 0.9), 100 * quantile(halves, 0.5), lost))
    print(("%d of them of 80 lines and more: median %.3f s, 90th percentile %.3f s"):format(#long_walls, quantile(long_walls, 0.5), quantile(long_walls, 0.9)))
    print(("of the wall time: build %.0f %%, verify %.0f %%, time %.0f %%"):format(share(sums.build), share(sums.verify), share(sums.time)))
    return lost
end

local lost = rounds > 0 and alone() or 0
collectgarbage() -- its bench has memory of the device
local many = judge_with(benches)
-- The largest readings of a side, as parts of its middle.
local function worst(readings)
    local sorted = table.move(readings, 1, #readings, 1, {})
    table.sort(sorted)
    local words, middle = {}, sorted[#sorted // 2 + 1]
    for i = math.max(1, #sorted - 3), #sorted do words[#words + 1] = ("%.2f"):format(sorted[i] / middle) end
    return table.concat(words, " ")
end

-- passed, seconds, and the sums of the parts of each judgement's time
local function wave(n)
    local begun = run:spent().total or 0
    for _ = 1, n do for _, kernel in ipairs(few) do submit(many, kernel) end end
    local passed, parts = 0, { build = 0, wait = 0, verify = 0, time = 0 }
    for _ = 1, n * #few do
        local _, j = many:collect()
        if j.passed then
            passed = passed + 1
            for key in pairs(parts) do parts[key] = parts[key] + j.wall[key] end
            if show then
                print(("  %-20s verify %.3f, time %.3f s, %2d pairs, %d left out; largest %s; baseline %s"):format(j.task, j.wall.verify, j.wall.time, j.pairs,
                    j.discarded, worst(j.samples.candidate), worst(j.samples.baseline)))
            end
        else print(j.task .. ": " .. j.verdict .. " " .. (j.reason or "")) end
    end
    return passed, (run:spent().total or 0) - begun, parts
end
local _, cold = wave(1) -- each task's truths are made, by the bench that it then stays with
wave(1)
local passed, took, parts = wave(waves)
print(("%d at once: %d passed in %.1f s, %.1f a second; of that time one of them had the device for %.0f %%; the first %d, with truths, took %.1f s"):format(
    benches, passed, took, passed / took, 100 * (parts.verify + parts.time) / took, #few, cold))
print(("one of them, mean: build %.3f s, wait for the device %.3f s, verify %.3f s, time %.3f s"):format(parts.build / passed, parts.wait / passed,
    parts.verify / passed, parts.time / passed))
if lost > 0 then error(lost .. " judgements of good kernels lost") end
