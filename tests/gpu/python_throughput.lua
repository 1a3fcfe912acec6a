-- How many Python programs are judged in a second by several benches: honest programs of tests/python/zoo, each told apart by a line of comment. What
-- a task's first programs pay (inputs, truths, a process that imports torch in each bench) is left out: a wave is judged before the clock starts.
--
--   hone run tests/gpu/python_throughput.lua [--set benches=6] [--set waves=6] [--set zoo=tests/python/zoo]
local hone = require "hone"
local benches, waves, zoo = hone.settings("benches", 6), hone.settings("waves", 6), hone.settings("zoo", "tests/python/zoo")
local names = { "mix.plain", "mix.addcmul", "rows.plain", "linear.plain", "linear.einsum", "conv.plain", "product.plain", "squash.clamp" }

local function read(path)
    local file <close> = assert(io.open(path))
    return file:read("a")
end

local run = hone.run { name = "python-throughput" }
local tasks = {}
for _, task in ipairs(run:suite(zoo)) do tasks[task.name] = task end
local judge = run:judge { verifier = run:verifier("python"), timer = run:timer("cuda-probe"), reference = run:reference("torch"), benches = benches, refresh = 1,
    precision = 0.05, seconds = 0.3, pairs = 16 }

local number = 0
local function wave()
    for _, name in ipairs(names) do
        number = number + 1
        judge:submit(tasks[name:match("^[^.]+")], { code = ("%s\n# %d\n"):format(read(zoo .. "/honest/" .. name .. ".py"), number), language = "python" })
    end
end

local function collected(n)
    local passed = 0
    for _ = 1, n do
        local _, judgement = judge:collect()
        if judgement.passed then passed = passed + 1 else print(judgement.task, judgement.verdict, judgement.reason) end
    end
    return passed
end

for _ = 1, 3 do wave() end
collected(number)
local before, begun = number, run:spent().total or 0
for _ = 1, waves do wave() end
local judged = number - before
local passed, seconds = collected(judged), (run:spent().total or 0) - begun
print(("%d of %d passed in %.1f s by %d benches: %.2f a second (goal 2)"):format(passed, judged, seconds, benches, judged / seconds))
os.exit(passed == judged and 0 or 1)
