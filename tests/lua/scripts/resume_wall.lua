-- Programs judged by the clock on the wall: what tests/unit/lua/resume_test.cpp kills and resumes.
local hone = require "hone"
local run = hone.run { name = "resume-wall", seed = 7 }
local judge = run:judge {
    verifier = run:verifier("cpp"), timer = run:timer("wall"), reference = run:reference("lua"), benches = 1, precision = 0.5, seconds = 0.05,
}
run:collect { teacher = run:policy("template"), suite = run:suite("wall-clock"), judge = judge, trials = 24, keep = 24 }
