-- Are the judge's statements about speed true? Honest programs are judged against themselves with a planted slow-down, so that the true ratio is
-- known: how often do 95 % intervals hold it, how often is a difference found that is there, or one that is not?
--
--   tests/bench/judge_statistics.sh [--set trials=N] [--set seconds=S] ...     keeps the other core busy part of the time
--
-- floor: the middle half width of a program against itself: what these settings cannot tell from nothing.
local hone = require "hone"
local trials, seconds = hone.settings("trials", 36), hone.settings("seconds", 2.0)
local precision, most, fresh = hone.settings("precision", 0.005), hone.settings("pairs", 1024), hone.settings("fresh", true)
local folder = hone.settings("folder", "tests/exploits/honest")
local programs = {
    "mul_relu_add.plain", "softmax.fused", "row_sum.simd", "matmul.intrinsics", "layer_norm.two_passes", "transpose.tiles",
    "sigmoid_mul.fast_exp", "attention.row_by_row", "cumsum.rows_together",
}
local planted = { 0, 0.03, 0.1 }

local run = hone.run { name = hone.settings("name", "judge-statistics") }
local judges = {}
for _, share in ipairs(planted) do
    judges[share] = run:judge { verifier = run:verifier("cpp"), timer = run:timer("wall"), reference = run:reference("torch"), benches = 1,
        refresh = 1, seconds = seconds, precision = precision, pairs = most, fresh = fresh, planted = share }
end

local wanted = {}
for i, name in ipairs(programs) do wanted[i] = name:match("^[^.]+") end
local tasks = {}
for _, task in ipairs(run:suite("cpu-basics", { only = wanted })) do tasks[task.name] = task end

local function read(path)
    local file <close> = assert(io.open(path))
    return file:read("a")
end

-- {kept, found, half = {...}, pairs, us} of one program and planted share
local function judge_often(task, code, share, into)
    local judge, candidate = judges[share], { code = code, language = "cpp" }
    judge:submit(task, candidate, { against = candidate })
    local _, j = judge:collect()
    if not j.passed then
        into.lost = into.lost + 1
        return
    end
    local truth = -math.log(1 + share)
    into.n = into.n + 1
    into.kept = into.kept + ((j.log_speedup.lower <= truth and truth <= j.log_speedup.upper) and 1 or 0)
    local is_found = share == 0 and j.outcome ~= "ambiguous" or j.outcome == "slower" -- planted time that makes faster would be no finding
    into.found = into.found + (is_found and 1 or 0)
    into.half[#into.half + 1] = (j.log_speedup.upper - j.log_speedup.lower) / 2
    into.pairs, into.us = into.pairs + j.pairs, j.seconds.candidate * 1e6
end

local function middle(list)
    table.sort(list)
    return list[#list // 2 + 1] or 0 / 0
end

local function empty() return { n = 0, kept = 0, found = 0, pairs = 0, us = 0, lost = 0, half = {} } end

local cells = {}
for trial = 1, trials do
    for _, name in ipairs(programs) do
        local task = tasks[name:match("^[^.]+")]
        local share = planted[trial % #planted + 1]
        cells[name] = cells[name] or { [0] = empty(), [0.03] = empty(), [0.1] = empty() }
        judge_often(task, read(folder .. "/" .. name .. ".cpp"), share, cells[name][share])
    end
end

print(("%-26s %6s %6s %7s %9s %11s %9s %9s %5s"):format("program", "us", "pairs", "floor", "A/A other", "interval", "3 % found", "10 % found", "lost"))
local sum = { empty(), empty(), empty() }
local fine = empty()
for _, name in ipairs(programs) do
    local c = cells[name]
    local floor, n, kept, lost, taken = middle(c[0].half), 0, 0, 0, 0
    for k, share in ipairs(planted) do
        local one = c[share]
        n, kept, lost, taken = n + one.n, kept + one.kept, lost + one.lost, taken + one.pairs
        sum[k].n, sum[k].kept, sum[k].found = sum[k].n + one.n, sum[k].kept + one.kept, sum[k].found + one.found
    end
    if floor < 0.01 then fine.n, fine.found = fine.n + c[0.03].n, fine.found + c[0.03].found end
    print(("%-26s %6.1f %6.0f %5.2f %% %5d/%-3d %7d/%-3d %5d/%-3d %6d/%-3d %5d"):format(name, c[0].us, taken / math.max(n, 1), 100 * floor, c[0].found,
        c[0].n, kept, n, c[0.03].found, c[0.03].n, c[0.1].found, c[0.1].n, lost))
end
local n, kept = sum[1].n + sum[2].n + sum[3].n, sum[1].kept + sum[2].kept + sum[3].kept
local function share(a, b) return b > 0 and 100 * a / b or 0 / 0 end
print(("intervals that hold the true ratio: %d of %d (%.1f %%)"):format(kept, n, share(kept, n)))
print(("a program against itself, found different: %d of %d (%.1f %%)"):format(sum[1].found, sum[1].n, share(sum[1].found, sum[1].n)))
print(("3 %% slower, found: %d of %d (%.1f %%); where the floor is below 1 %%: %d of %d (%.1f %%)"):format(sum[2].found, sum[2].n,
    share(sum[2].found, sum[2].n), fine.found, fine.n, share(fine.found, fine.n)))
print(("10 %% slower, found: %d of %d (%.1f %%)"):format(sum[3].found, sum[3].n, share(sum[3].found, sum[3].n)))
