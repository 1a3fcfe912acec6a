-- The case studies of the CUDA-L1 paper on this machine's GPU: a naive and a good kernel of each, timed against every form of the reference.
--
--   hone run examples/case_studies.lua [--set compiled=FOLDER]
--
-- FOLDER: torch.compile's packages. The first run leaves transcripts there, `python3 scripts/compile_references.py FOLDER` makes the packages,
-- and the next run under another name compares with them too. What came of it: docs/results/case-studies.md.
local hone = require "hone"

local compiled, kernels = hone.settings("compiled", ""), hone.settings("kernels", "scripts/kernels/gpu-basics")
local run = hone.run { name = "case-studies", seed = 1 }
local judge = run:judge {
    verifier = run:verifier("cuda"), timer = run:timer("cuda-events"), reference = run:reference("torch", { compiled = compiled }),
    benches = 1, precision = 0.01, seconds = 2.0, deadline = 90.0, pool_mb = 16000, pairs = 512,
}

-- The published factor stands for another program on another GPU and other sizes.
local cases = {
    { task = "diag_matmul", published = "64x (A100, eager): the diagonal matrix is built and multiplied" },
    { task = "gru_steps", published = "449x, later 1.94x (eager), 1.00x (CUDA graph): one launch for each step and gate" },
    { task = "lstm_steps", published = "3.4x, later 2.72x (eager), 1.00x (CUDA graph)" },
    { task = "conv3d_min_softmax", published = "120x for a fused 3D convolution, whose answer was always zero" },
}

local function read(path)
    local file <close> = io.open(path)
    return file and file:read("a")
end

local tasks = {}
for _, task in ipairs(run:suite("gpu-basics")) do tasks[task.name] = task end

local forms = { "eager", "graph", "compiled", "compiled graph" }
print(("%-20s %-7s %9s %16s"):format("task", "kernel", "us", "speed-up") .. ("%16s"):rep(#forms):format(table.unpack(forms)))
for _, case in ipairs(cases) do
    for _, kernel in ipairs { "plain", "good" } do
        local path = kernels .. "/" .. case.task .. "." .. kernel
        local code = assert(read(path .. ".cu"), path .. ".cu cannot be read: run this in the source tree, or --set kernels=FOLDER")
        judge:submit(tasks[case.task], { code = code, plan = read(path .. ".lua") or "", language = "cuda" })
        local _, j = judge:collect()
        local line = ("%-20s %-7s"):format(case.task, kernel)
        if j.passed then
            line = line .. (" %9.1f %5.2f (%.2f-%.2f)"):format(1e6 * j.seconds.candidate, j.speedup.estimate, j.speedup.lower, j.speedup.upper)
            for _, form in ipairs(forms) do
                local seconds = (j.baseline_forms or {})[form]
                line = line .. (seconds and ("%8.1f us %4.1fx"):format(1e6 * seconds, seconds / j.seconds.candidate) or ("%16s"):format("-"))
            end
        else
            line = line .. " " .. j.verdict .. ": " .. j.reason
        end
        print(line)
    end
    print("    published: " .. case.published)
end
