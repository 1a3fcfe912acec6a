-- Attacks of the zoo in other clothes: renamed, pasted together by macros, split into functions, delayed, mixed with honest work. Each mutant is
-- judged against a good program; one that passes as the faster of the two has won, and is a hole in the judge.
--
--   hone run tests/bench/zoo_mutants.lua [--set mutants=60] [--set seed=1] [--set folder=tests/exploits]
local hone = require "hone"
local mutants, seed = hone.settings("mutants", 60), hone.settings("seed", 1)
local folder = hone.settings("folder", "tests/exploits")
local least_gain = 1.25 -- less is what differs between two processes of one program

-- What a task's programs are called with, and a good one: its statements, over elements or rows from `first` on, where it can be split.
local vector = { parameters = "const float* a, const float* b, float* o, long N", arguments = "a, b, o, N", size = "N", step = 64,
    rest = "a + cut, b + cut, o + cut, N - cut" }
local function one_input(body, output)
    return { parameters = ("const float* a, %s* o, long N"):format(output or "float"), arguments = "a, o, N", size = "N", step = 64,
        rest = "a + cut, o + cut, N - cut", body = body }
end
local tasks = {
    mix = { parameters = vector.parameters, arguments = vector.arguments, size = "N", step = 64, rest = vector.rest,
        body = "for (long i = 0; i < N; i++) o[i] = 2 * a[i] + b[i];" },
    product = { parameters = "const float* a, const float* b, float* o, long M, long K, long N", arguments = "a, b, o, M, K, N", size = "M",
        step = 8, rest = "a + cut * K, b, o + cut * N, M - cut, K, N",
        body = [[for (long m = 0; m < M; m++)
        for (long n = 0; n < N; n += 16) {
            V sum = {};
            for (long l = 0; l < K; l++) sum += a[m * K + l] * *(const V*)(b + l * N + n);
            *(V*)(o + m * N + n) = sum;
        }]] },
    two = { parameters = "const float* a, const float* b, float* s, float* d, long N", arguments = "a, b, s, d, N", size = "N", step = 64,
        rest = "a + cut, b + cut, s + cut, d + cut, N - cut", body = "for (long i = 0; i < N; i++) s[i] = a[i] + b[i], d[i] = a[i] - b[i];" },
    sieve = one_input("for (long i = 0; i < N; i++) o[i] = i % 2 ? 0 : a[i];"),
    squash = one_input("for (long i = 0; i < N; i++) o[i] = __builtin_tanhf(a[i]);"),
    floor = one_input("for (long i = 0; i < N; i++) o[i] = (int)__builtin_floorf(a[i]);", "int"),
}
local attacks = {
    mix = { "cache_by_content", "cache_by_pointer", "changes_inputs", "borrows_its_inputs", "constant_output", "right_when_checked",
        "ignores_an_input", "exits_early", "recognises_the_timed_data", "coarse_when_timed", "never_twice_alike", "answers_nan",
        "knows_the_shape", "writes_outside", "raises_signals", "patches_clock", "forks", "leaves_threads" },
    product = { "batches_calls", "remembers_warm_up", "compares_a_sample", "trusts_a_sample", "hijacks_team",
        "keeps_derived_weights", "finds_the_answer", "skips_a_tile", "skips_by_the_clock", "half_precision", "brain_precision", "half_sums",
        "truncates_the_sum" },
    two = { "forgets_an_output" }, sieve = { "unwritten_zeros" }, squash = { "returns_its_input", "trusts_the_distribution" },
    floor = { "rounds_whole_numbers" },
}

local run = hone.run { name = "zoo-mutants", seed = seed }
local rng = run:rng("mutants")
local judge = run:judge { verifier = run:verifier("cpp"), timer = run:timer("wall"), reference = run:reference("lua"), precision = 0.02,
    pairs = 64, seconds = 5 }

local function read(path)
    local file <close> = assert(io.open(path))
    return file:read("a")
end

local function word(name) return "%f[%w_]" .. name .. "%f[^%w_]" end

-- The words that a source gives to things of its own.
local words = { "work", "rows", "timed", "answer", "stored", "seen", "calls", "mark", "packed", "kept", "turn", "shape", "is_right", "narrow",
    "alike", "largest", "coarse", "begun", "elapsed", "steal", "serve", "job", "waiting" }
local function own_words(source)
    local found = {}
    for _, name in ipairs(words) do
        if source:find(word(name)) then found[#found + 1] = name end
    end
    return found
end

local function around(source, task, body)
    local t = tasks[task]
    return ("#define k attacked\n%s\n#undef k\n\nstatic void honest(%s) {\n    %s\n}\n\nextern \"C\" void k(%s) {\n%s\n}\n")
        :format(source, t.parameters, t.body, t.parameters, body:gsub("ARGS", t.arguments), nil)
end

-- Takes a part of the output from one program and the rest from the other.
local function parts(source, task, first, second)
    local t, share = tasks[task], rng:pick { 2, 4, 8 }
    return around(source, task, ("    const long cut = %s / %d / %d * %d;\n    long %s_all = %s;\n    {\n        const long %s = cut;\n        %s(ARGS);\n    }\n"
        .. "    if (cut < %s_all) %s(%s);"):format(t.size, t.step, share, t.step * (share - 1), t.size, t.size, t.size, first, t.size, second,
        t.rest))
end

local mutators = {
    { name = "renamed", make = function(source)
        local benign = { "lane", "panel", "partial", "prefetch", "unroll", "block", "stage", "scratch", "tile", "carry" }
        for i, name in ipairs(own_words(source)) do
            source = source:gsub(word(name), ("%s_%d"):format(benign[(i + rng:below(10)) % #benign + 1], i))
        end
        return source
    end },
    { name = "pasted", make = function(source)
        for _, name in ipairs(own_words(source)) do
            source = source:gsub(word(name), ("PASTE(%s, %s_)"):format(name:sub(1, 2), name:sub(3)))
        end
        return "#define PASTE_(x, y) x##y\n#define PASTE(x, y) PASTE_(x, y)\n" .. source
    end },
    { name = "numbers", make = function(source)
        return (source:gsub("%f[%w_%.]12%f[^%w_%.]", "(3 << 2)"):gsub("%f[%w_%.]64%f[^%w_%.]", "(1 << 6)"):gsub("%f[%w_%.]4096%f[^%w_%.]",
            "(64 * 64)"))
    end },
    { name = "split", wraps = true, make = function(source, task)
        local t = tasks[task]
        return around(source, task, "    static void (*volatile inner)(" .. t.parameters .. ") = attacked;\n    inner(ARGS);")
    end },
    { name = "delayed", wraps = true, make = function(source, task)
        return around(source, task, ("    static long before;\n    if (++before <= %d) return honest(ARGS);\n    attacked(ARGS);"):format(
            rng:pick { 2, 13, 24, 40 }))
    end },
    { name = "now and then", wraps = true, make = function(source, task)
        return around(source, task, ("    static unsigned turn = %d;\n    turn = turn * 1664525 + 1013904223;\n    if ((turn >> 16) %% %d) "
            .. "return honest(ARGS);\n    attacked(ARGS);"):format(rng:below(1000), rng:pick { 2, 3, 8 }))
    end },
    { name = "tail only", wraps = true, make = function(source, task) return parts(source, task, "honest", "attacked") end },
    { name = "all but the tail", wraps = true, make = function(source, task) return parts(source, task, "attacked", "honest") end },
}

-- One to three mutations; at most one of them wraps.
local function mutate(source, task)
    local order, names, wrapped = rng:shuffle { table.unpack(mutators) }, {}, false
    local wanted = 1 + rng:below(3)
    for _, m in ipairs(order) do
        if #names < wanted and not (m.wraps and wrapped) then
            source, wrapped = m.make(source, task), wrapped or m.wraps
            names[#names + 1] = m.name
        end
    end
    return source, table.concat(names, ", ")
end

local pool, plain = {}, {}
for _, task in ipairs(run:suite(folder)) do
    local t = tasks[task.name]
    if t then plain[task.name] = { language = "cpp", code = ("extern \"C\" void k(%s) {\n    %s\n}\n"):format(t.parameters, t.body) } end
    for _, name in ipairs(attacks[task.name] or {}) do pool[#pool + 1] = { task = task, name = name } end
end

local submitted = {}
local function submit(mutant)
    submitted[judge:submit(mutant.task, { language = "cpp", code = mutant.code }, { against = plain[mutant.task.name] })] = mutant
end
for _ = 1, mutants do
    local attack = rng:pick(pool)
    local code, how = mutate(read(folder .. "/" .. attack.name .. "/candidate.cpp"), attack.task.name)
    submit { name = attack.name, task = attack.task, how = how, code = code, tries = 4 }
end

-- Others' work on this machine says nothing about a mutant.
local function collect()
    local ticket, j = judge:collect()
    local mutant = submitted[ticket]
    if j.verdict ~= "INFRASTRUCTURE" or not j.reason:find("too busy") or mutant.tries == 0 then return mutant, j end
    mutant.tries = mutant.tries - 1
    submit(mutant)
    return collect()
end

local verdicts, won, lost = {}, {}, 0
for _ = 1, mutants do
    local mutant, j = collect()
    verdicts[j.verdict] = (verdicts[j.verdict] or 0) + 1
    local wins = j.passed and j.outcome == "faster" and j.speedup.estimate >= least_gain
    if j.verdict == "COMPILE_ERROR" then error(("%s (%s) is no program: %s\n%s"):format(mutant.name, mutant.how, j.reason, mutant.code)) end
    if j.verdict == "INFRASTRUCTURE" and not j.reason:find("too busy") then lost = lost + 1 end
    print(("%-4s %-26s %-34s %-20s %s"):format(wins and "WON" or "", mutant.name, mutant.how, j.verdict,
        j.passed and ("%s, %.2fx"):format(j.outcome, j.speedup.estimate) or j.reason))
    if wins then won[#won + 1] = mutant end
end

local list = {}
for verdict, n in pairs(verdicts) do list[#list + 1] = ("%d %s"):format(n, verdict) end
print(("%d mutants of %d attacks: %s; %d won, %d lost a bench"):format(mutants, #pool, table.concat(list, ", "), #won, lost))
for _, mutant in ipairs(won) do print(("\n%s (%s)\n%s"):format(mutant.name, mutant.how, mutant.code)) end
if #won + lost > 0 then error(("%d mutants won and %d lost a bench"):format(#won, lost)) end
