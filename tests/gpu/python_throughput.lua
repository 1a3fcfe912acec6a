-- How many Python programs are judged in a second by several benches: programs of tests/python/zoo, each told apart by a line of comment. As of CUDA-L1's
-- released programs about half are right. What a task's first programs pay (inputs, truths, a process that imports torch in each bench) is left out: a
-- wave is judged before the clock starts.
--
--   hone run tests/gpu/python_throughput.lua [--set benches=4] [--set waves=6] [--set seconds=0.3] [--set pairs=8] [--set right_alone=true]
local hone = require "hone"
local benches, waves, zoo = hone.settings("benches", 4), hone.settings("waves", 6), "tests/python/zoo"
local right = { "mix.plain", "mix.addcmul", "rows.plain", "linear.plain", "linear.einsum", "conv.plain", "product.plain", "squash.clamp" }
local wrong = { skips_rows = "rows", drops_the_maximum = "rows", expands_a_row = "rows", half_precision = "linear", returns_empty = "mix", ignores_an_input = "mix",
    answers_nan = "mix", wrong_shape = "mix" }
if hone.settings("right_alone", false) then wrong = {} end

local function read(path)
    local file <close> = assert(io.open(path))
    return file:read("a")
end

local run = hone.run { name = "python-throughput" }
local tasks = {}
for _, task in ipairs(run:suite(zoo)) do tasks[task.name] = task end
local judge = run:judge { verifier = run:verifier("python"), timer = run:timer("cuda-probe"), reference = run:reference("torch"), benches = benches, refresh = 1,
    precision = 0.05, seconds = hone.settings("seconds", 0.3), pairs = hone.settings("pairs", 8) }

local programs = {} -- {task, code}
for _, name in ipairs(right) do programs[#programs + 1] = { tasks[name:match("^[^.]+")], read(zoo .. "/honest/" .. name .. ".py") } end
for name, task in pairs(wrong) do programs[#programs + 1] = { tasks[task], read(zoo .. "/" .. name .. "/candidate.py") } end

local number = 0
local function wave()
    for _, program in ipairs(programs) do
        number = number + 1
        judge:submit(program[1], { code = ("%s\n# %d\n"):format(program[2], number), language = "python" })
    end
end

local parts = { "build", "wait", "verify", "time" }

-- how many passed, and the mean seconds of each part of judging
local function collected(n)
    local passed, spent = 0, {}
    for _ = 1, n do
        local _, judgement = judge:collect()
        passed = passed + (judgement.passed and 1 or 0)
        if judgement.verdict == "INFRASTRUCTURE" then print(judgement.task, judgement.reason) end
        for _, part in ipairs(parts) do spent[part] = (spent[part] or 0) + (judgement.wall and judgement.wall[part] or 0) / n end
    end
    return passed, spent
end

for _ = 1, 3 do wave() end
collected(number)
local before, begun = number, run:spent().total or 0
for _ = 1, waves do wave() end
local judged = number - before
local passed, spent = collected(judged)
local seconds = (run:spent().total or 0) - begun
for _, part in ipairs(parts) do io.write(("%s %.2f s, "):format(part, spent[part])) end
print(("%d of %d passed in %.1f s by %d benches: %.2f a second (goal 2)"):format(passed, judged, seconds, benches, judged / seconds))
os.exit(passed == waves * #right and 0 or 1)
