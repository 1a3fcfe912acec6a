-- Does a ratio last? Honest programs against their references, by the settings of `hone judge`, again and again in turn: how often does the
-- interval of one judgement hold the mean of the others? Two programs that differ suffer differently from what else a machine does (a
-- neighbour that takes memory bandwidth, the second core), so their ratio changes with it; the interval knows the minute it was made in only.
--
--   hone run tests/bench/judge_drift.lua [--set rounds=6]
local hone = require "hone"
local rounds, folder = hone.settings("rounds", 6), hone.settings("folder", "tests/exploits/honest")
local programs = {
    "mul_relu_add.plain", "softmax.fused", "row_sum.simd", "matmul.intrinsics", "layer_norm.two_passes", "transpose.tiles",
    "sigmoid_mul.fast_exp", "attention.row_by_row", "cumsum.rows_together",
}
local run = hone.run { name = hone.settings("name", "judge-drift") }
local judge = run:judge { verifier = run:verifier("cpp"), timer = run:timer("wall"), reference = run:reference("torch"),
    benches = 1, refresh = 1, precision = 0.01, seconds = 0.8, pairs = 512, fresh = true }

local wanted = {}
for i, name in ipairs(programs) do wanted[i] = name:match("^[^.]+") end
local tasks = {}
for _, task in ipairs(run:suite("cpu-basics", { only = wanted })) do tasks[task.name] = task end

local seen, lost = {}, 0
for round = 1, rounds do
    for _, name in ipairs(programs) do
        local source <close> = assert(io.open(folder .. "/" .. name .. ".cpp"))
        judge:submit(tasks[name:match("^[^.]+")], { code = source:read("a") .. "\n// " .. round .. "\n", language = "cpp" })
        local _, j = judge:collect()
        seen[name] = seen[name] or {}
        if j.passed then table.insert(seen[name], j.log_speedup) else lost = lost + 1 end
    end
end

local judged, held = 0, 0
print(("%-26s %9s %9s %9s %10s"):format("program", "least", "middle", "most", "hold"))
for _, name in ipairs(programs) do
    local all, sum, hold = seen[name], 0, 0
    table.sort(all, function(a, b) return a.estimate < b.estimate end)
    for _, s in ipairs(all) do sum = sum + s.estimate end
    for _, s in ipairs(all) do
        local others = (sum - s.estimate) / math.max(#all - 1, 1)
        hold = hold + ((s.lower <= others and others <= s.upper) and 1 or 0)
    end
    judged, held = judged + #all, held + hold
    if #all > 0 then
        print(("%-26s %8.2fx %8.2fx %8.2fx %6d of %d"):format(name, math.exp(all[1].estimate), math.exp(all[#all // 2 + 1].estimate),
            math.exp(all[#all].estimate), hold, #all))
    end
end
print(("intervals that hold the mean of the other judgements of the same program: %d of %d (%.0f %%); %d without a result"):format(held, judged,
    100 * held / math.max(judged, 1), lost))
