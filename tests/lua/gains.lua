-- What one evaluation has over another: intervals that hold, and what is said where there is none.
local hone = require "hone"
local gains = require "hone.gains"
local test = require "harness"
local tests = {}

-- Means of few values, as of a suite of few tasks: a bootstrap's interval holds in 52 % of cases at 2 of them, and in 75 % at 3.
function tests.intervals_hold_the_mean_of_few_values()
    local rng, rounds = test.run { seed = 3 }:rng("coverage"), 4000
    local function normal() return math.sqrt(-2 * math.log(1 - rng:uniform())) * math.cos(2 * math.pi * rng:uniform()) end
    for _, count in ipairs { 2, 3, 4, 6, 12 } do
        local held = 0
        for _ = 1, rounds do
            local values = {}
            for i = 1, count do values[i] = 0.3 + 0.2 * normal() end
            local low, high = hone.interval(values)
            if low < 0.3 and 0.3 < high then held = held + 1 end
        end
        test.is(math.abs(held / rounds - 0.95) < 0.014, ("of %d values %.1f %% hold"):format(count, 100 * held / rounds))
    end
end

function tests.what_one_evaluation_has_over_another()
    local suite = test.run():suite("fake")
    local function samples(logs)
        local list = {}
        for i, log in ipairs(logs) do list[i] = { task = suite[i], passed = true, log_speedup = log, lower = log, hash = "h" .. i, artifact = "a" .. i } end
        return list
    end
    local function told(before, now)
        local tasks = { table.unpack(suite, 1, #now) }
        return gains.between("now against before", samples(now), samples(before), tasks):gsub("^[^\n]*\n", "")
    end
    test.equal(told({ 0 }, { 0.5 }), "  success  +0.0 points over 1 task, which gives no interval\n"
        .. "  typical  1.65x over 1 task, which gives no interval\n  fallback 1.65x over 1 task, which gives no interval")
    test.equal(told({ 0, 0 }, { 0.5, 0.25 }), "  success  +0.0 points [+0.0 points, +0.0 points] over 2 tasks, which contains no difference\n"
        .. "  typical  1.45x [0.30x, 7.12x] over 2 tasks, which contains no difference\n"
        .. "  fallback 1.45x [0.30x, 7.12x] over 2 tasks, which contains no difference")
end

-- A part of the tasks is compared, of samples of all.
function tests.samples_of_other_tasks_have_no_part()
    local suite = test.run():suite("fake")
    local function sample(i, log) return { task = suite[i], passed = true, log_speedup = log, lower = log, hash = "h", artifact = "a" } end
    local few = { suite[1] }
    test.equal(gains.between("now", { sample(1, 0.5), sample(2, 3) }, { sample(1, 0), sample(2, 0) }, few),
        gains.between("now", { sample(1, 0.5) }, { sample(1, 0) }, few))
end

return tests
