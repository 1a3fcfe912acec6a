-- How often has a judge nothing to say? Every honest program of the zoo against its task's reference, by the settings of `hone judge`: the share
-- that is called ambiguous, and whether the two were simply as fast as each other.
--
--   hone run tests/bench/judge_ambiguous.lua [--set rounds=N]
local hone = require "hone"
local rounds = hone.settings("rounds", 1)
local folder = hone.settings("folder", "tests/exploits/honest")
local long, alike = 50e-6, math.log(1.1)
local run = hone.run { name = hone.settings("name", "judge-ambiguous") }
local judge = run:judge { verifier = run:verifier("cpp"), timer = run:timer("wall"), reference = run:reference("torch"),
    benches = 1, refresh = 1, precision = 0.01, seconds = 0.8, pairs = 512, fresh = true }

local programs = {} -- {name, task, code}
local listing <close> = assert(io.popen("ls '" .. folder .. "'"))
local tasks = {}
for _, task in ipairs(run:suite("cpu-basics")) do tasks[task.name] = task end
for file in listing:lines() do
    local task = tasks[file:match("^[^.]+")]
    local source <close> = assert(io.open(folder .. "/" .. file))
    if task then programs[#programs + 1] = { name = file, task = task, code = source:read("a") } end
end

local judged, short, lost, ambiguous, near = 0, 0, 0, 0, 0
for _ = 1, rounds do
    for _, program in ipairs(programs) do
        judge:submit(program.task, { code = program.code, language = "cpp" })
        local _, j = judge:collect()
        if not j.passed then
            lost = lost + 1
            print(("%-36s %s: %s"):format(program.name, j.verdict, j.reason))
        elseif j.seconds.candidate < long then
            short = short + 1
        else
            judged = judged + 1
            if j.outcome == "ambiguous" then
                ambiguous = ambiguous + 1
                near = near + (math.abs(j.log_speedup.estimate) < alike and 1 or 0)
                print(("%-36s %8.0f us  %.3fx (%.3fx to %.3fx), noise %.1f %%, %d pairs"):format(program.name, 1e6 * j.seconds.candidate,
                    j.speedup.estimate, j.speedup.lower, j.speedup.upper or math.huge, 100 * j.noise, j.pairs))
            end
        end
    end
end
print(("%d programs of 50 us and more: %d ambiguous (%.1f %%), %d of them within 10 %% of the reference; %d shorter, %d without a result")
    :format(judged, ambiguous, 100 * ambiguous / math.max(judged, 1), near, short, lost))
