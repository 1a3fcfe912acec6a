-- KernelBench's activations (level 1, problems 19 to 32 and 88), as `hone import kernelbench` makes them, by one kernel each: judged like a model's
-- answers, so that `hone export kernelbench` and `hone export cuda-l1` have a run to tell of.
--
--   hone run tests/gpu/kernelbench.lua [--set suite=kernelbench] [--set compiled=FOLDER]
local hone = require "hone"

local bodies = {
    level1_19_ReLU = "x < 0 ? 0 : x",
    level1_20_LeakyReLU = "x < 0 ? 0.01f * x : x",
    level1_21_Sigmoid = "1 / (1 + expf(-x))",
    level1_22_Tanh = "tanhf(x)",
    level1_25_Swish = "x / (1 + expf(-x))",
    level1_26_GELU = "0.5f * x * (1 + erff(x * 0.70710678f))",
    level1_27_SELU = "1.05070098f * (x > 0 ? x : 1.67326324f * expm1f(x))",
    level1_28_HardSigmoid = "x < -3 ? 0 : x > 3 ? 1 : (x + 3) / 6",
    level1_29_Softplus = "x > 20 ? x : log1pf(expf(x))",
    level1_30_Softsign = "x / (1 + fabsf(x))",
    level1_31_ELU = "x > 0 ? x : expm1f(x)",
    level1_32_HardTanh = "x < -1 ? -1 : x > 1 ? 1 : x",
    level1_88_MinGPTNewGelu = "0.5f * x * (1 + tanhf(0.79788456f * (x + 0.044715f * x * x * x)))",
}

local answer = [[
```cuda
__device__ float f(float x) { return %s; }

extern "C" __global__ void apply(const float* x, float* o, long n) {
    long i = 4 * (blockIdx.x * (long)blockDim.x + threadIdx.x);
    if (i + 3 < n) {
        const float4 v = *(const float4*)(x + i);
        *(float4*)(o + i) = make_float4(f(v.x), f(v.y), f(v.z), f(v.w));
    } else {
        for (; i < n; i++) o[i] = f(x[i]);
    }
}
```
```lua
return { { kernel = "apply", grid = ceil_div(B * N, 1024), block = 256, args = { "x", "o", B * N } } }
```]]

local run = hone.run { name = "kernelbench", seed = 1 }
local compiled = hone.settings("compiled", "")
local judge = run:judge {
    verifier = run:verifier("cuda"), timer = run:timer("cuda-events"), reference = run:reference("torch", { compiled = compiled }),
    benches = 1, precision = 0.01, seconds = 2.0, deadline = 90.0, pool_mb = hone.settings("pool_mb", 16000), pairs = 256,
}
local writes = run:policy(function(request) return answer:format(bodies[request.task.name]) end)

local prompts = {}
for _, task in ipairs(run:suite(hone.settings("suite", "kernelbench"))) do
    if bodies[task.name] then prompts[#prompts + 1] = { task = task, messages = "an elementwise kernel" } end
end
assert(#prompts > 0, "the suite has none of KernelBench's activations: hone import kernelbench PATH makes it")
local groups = run:rollout { policy = writes, judge = judge, prompts = prompts, group = 1, stage = "by hand" }

print(("%-26s %-8s %16s %9s %8s   %s"):format("problem", "verdict", "speed-up", "us", "roof", "us of each form of the reference"))
for _, group in ipairs(groups) do
    local j = group.members[1].judgement
    local line = ("%-26s %-8s"):format(group.task.name, j.verdict)
    if j.passed then
        line = line .. (" %5.2f (%.2f-%.2f) %9.1f"):format(j.speedup.estimate, j.speedup.lower, j.speedup.upper, 1e6 * j.seconds.candidate)
        for form, seconds in pairs(j.baseline_forms or {}) do line = line .. ("   %s %.1f"):format(form, 1e6 * seconds) end
    else
        line = line .. " " .. j.reason
    end
    print(line)
end
