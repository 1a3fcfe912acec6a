-- Library steps of launch plans on this machine's GPU, by streams and by graphs. First every operator alone against a task of its own: does a step
-- make what the definition makes? Then the fused epilogues of scripts/kernels/gpu-library beside the hand-written kernels of the same tasks: does
-- a library with a kernel behind it beat the fastest form of the definition, torch.compile's among them? Exit status 1 if one is not passed.
--
--   hone run tests/gpu/library_steps.lua [--set part=operators|fused] [--set only=conv2d,conv_bias_relu.library] [--set compiled=FOLDER] [--set seconds=2]
local hone = require "hone"
local compiled, only, part = hone.settings("compiled", ""), hone.settings("only", ""), hone.settings("part", "")
local seconds, pool = hone.settings("seconds", 2.0), hone.settings("pool_mb", 16000)
local fused, written = "scripts/kernels/gpu-library", "scripts/kernels/gpu-basics"

-- the step of each task of library/operators.lua
local plans = {
    matmul = [[{ torch = "matmul", args = { "a", "b" }, out = "o" }]],
    mm_tf32 = [[{ torch = "mm", args = { "a", "b" }, out = "o" }]],
    mm_bf16 = [[{ torch = "mm", args = { "a", "b" }, out = "o" }]],
    bmm = [[{ torch = "bmm", args = { "a", { "b", shape = { B, K, N }, strides = { N * K, 1, K } } }, out = "o" }]],
    addmm = [[{ torch = "addmm", args = { "c", "a", "b", beta = 0.5, alpha = 2 }, out = "o" }]],
    linear = [[{ torch = "linear", args = { "x", "w", "c" }, out = "o" }]],
    conv1d = [[{ torch = "conv1d", args = { "x", "w", padding = 2 }, out = "o" }]],
    conv2d = [[{ torch = "conv2d", args = { "x", "w", "c", stride = 2, padding = 1 }, out = "o" }]],
    conv2d_depthwise = [[{ torch = "conv2d", args = { "x", "w", padding = 1, groups = M }, out = "o" }]],
    conv2d_channels_last = [[{ torch = "conv2d", args = { { "x", shape = { B, C, H, W }, strides = { H * W * C, 1, W * C, C } },
        { "w", shape = { M, C, 3, 3 }, strides = { 9 * C, 1, 3 * C, C } }, padding = 1 },
        out = { "o", shape = { B, M, H, W }, strides = { H * W * M, 1, W * M, M } } }]],
    conv3d = [[{ torch = "conv3d", args = { "x", "w" }, out = "o" }]],
    conv_transpose2d = [[{ torch = "conv_transpose2d", args = { "x", "w", "c", stride = 2, padding = 1 }, out = "o" }]],
    attention = [[{ torch = "scaled_dot_product_attention", args = { "q", "k", "v", is_causal = true }, out = "o" }]],
}

local function read(path)
    local file <close> = io.open(path)
    return file and file:read("a")
end

local wanted = {}
for name in only:gmatch("[^,]+") do wanted[name] = true end
local function is_wanted(name) return only == "" or wanted[name] end

local run = hone.run { name = "gpu-library-steps" }
local function new_judge(launch)
    return run:judge { verifier = run:verifier("cuda", { launch = launch }), timer = run:timer("cuda-events"),
        reference = run:reference("torch", { compiled = compiled }), benches = 1, precision = 0.01, seconds = seconds, deadline = 120, pool_mb = pool, pairs = 256 }
end

local candidates = {} -- {name, task, code, plan}
local function add(name, task, code, plan)
    if code and is_wanted(name) then candidates[#candidates + 1] = { name = name, task = task, code = code, plan = plan } end
end

local function add_operators()
    for _, task in ipairs(run:suite("tests/gpu/library")) do
        add(task.name, task, "__device__ int unused;\n", "return { " .. assert(plans[task.name], task.name .. ": has no plan here") .. " }")
    end
end

local function add_fused()
    local basics = {}
    for _, task in ipairs(run:suite("gpu-basics")) do basics[task.name] = task end
    for _, of in ipairs { "conv_bias_relu", "linear_swish_scale", "matmul_gelu_half", "conv3d_min_softmax" } do
        for _, path in ipairs { fused .. "/" .. of .. ".library", written .. "/" .. of .. ".good", written .. "/" .. of .. ".best" } do
            add(path:match("[^/]+$"), basics[of], read(path .. ".cu"), read(path .. ".lua") or "")
        end
    end
end

if part ~= "fused" then add_operators() end
if part ~= "operators" then add_fused() end
assert(#candidates > 0, "only=" .. only .. ": no such operator or program")

local function numbers(j)
    local forms = {}
    for form, s in pairs(j.baseline_forms or {}) do forms[#forms + 1] = ("%s %.1f"):format(form, 1e6 * s) end
    table.sort(forms)
    return ("%7.3f [%.3f, %.3f] %9.1f us; %s"):format(j.speedup.estimate, j.speedup.lower, j.speedup.upper or math.huge, 1e6 * j.seconds.candidate,
        table.concat(forms, ", "))
end

io.stdout:setvbuf("line")
print(("%-28s %-7s %-20s %7s %-16s %12s; us of each form of the definition"):format("program", "launch", "verdict", "speedup", "interval", "candidate"))
local refused = 0
for _, launch in ipairs { "stream", "graph" } do
    local judge = new_judge(launch)
    for _, one in ipairs(candidates) do
        judge:submit(one.task, { code = one.code, plan = one.plan, language = "cuda" })
        local fine, ticket, j = pcall(judge.collect, judge)
        if not fine then -- one broken task must not cost the table of all others
            j = { verdict = "REFUSED", reason = tostring(ticket) }
            judge = new_judge(launch)
        end
        if not j.passed then refused = refused + 1 end
        print(("%-28s %-7s %-20s %s"):format(one.name, launch, j.verdict, j.passed and numbers(j) or (j.reason or "")))
    end
end
print(("%d judged, %d not passed"):format(2 * #candidates, refused))
os.exit(refused == 0)
