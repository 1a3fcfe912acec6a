-- Twenty faults, each between two good kernels: what the judge says of it, whether the good one behind it passes, and how much longer that one takes
-- than on a healthy device. The last three come from outside: a runner, a bench and a worker are killed while they judge a good kernel.
--
--   hone run tests/gpu/faults.lua [--set folder=tests/gpu]     (from the source tree's root; needs an NVIDIA GPU and procps)
local hone = require "hone"
local folder = hone.settings("folder", "tests/gpu")
local run = hone.run { name = "gpu-faults" }
local judge = run:judge { verifier = run:verifier("cuda"), timer = run:timer("cuda-events"), reference = run:reference("torch"), benches = 1,
    precision = 0.05, pairs = 16, pool_mb = 4000 }
local task = run:suite(folder .. "/zoo", { only = "mix" })[1]

local function kernel(before, first, last)
    return ([[%s
extern "C" __global__ void k(const float* a, const float* b, float* o, long N) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    %s
    if (i < N) o[i] = 2 * a[i] + b[i];
    %s
}
]]):format(before or "", first or "", last or "")
end

local clock = [[
__device__ unsigned long long now() {
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}]]

-- name, verdicts that are right, program; outside: which process is killed while it works. A good program then, but one that takes its time.
local slow = kernel(clock, "if (i == 0) for (const unsigned long long begun = now(); now() - begun < 100000000;) {}")
local crash, faults = "RUNTIME_ERROR", nil
faults = {
    { "illegal address", crash, kernel(nil, nil, "if (i == N - 1) *(volatile int*)8 = 1;") },
    { "illegal address, all threads", crash, kernel(nil, "*(volatile int*)(8 + 4 * i) = 1;") },
    { "input written", crash, kernel(nil, nil, "if (i == 0) ((volatile float*)a)[0] = 1;") },
    { "misaligned address", crash, kernel(nil, nil, "if (i == 0) *(volatile int*)((char*)o + 1) = 1;") },
    { "trap", crash, kernel(nil, nil, "if (i == 0) asm volatile(\"trap;\");") },
    { "breakpoint", crash, kernel(nil, nil, "if (i == 0) asm volatile(\"brkpt;\");") },
    { "assertion", crash, kernel([[
extern "C" __device__ void __assertfail(const char*, const char*, unsigned, const char*, unsigned long);]], nil,
        "if (i == 77) __assertfail(\"i != 77\", \"k.cu\", 1, \"k\", 1);") },
    { "stack overflow", crash, kernel([[
__device__ __noinline__ float sink_into(float x, const volatile float* depth) {
    volatile float room[256];
    room[(int)*depth & 255] = x;
    return *depth < 1e9f ? sink_into(x + 1, depth) + room[0] : x;
}]], nil, "if (i == 0) o[0] = sink_into(1, a);") },
    { "shared memory out of range", crash, kernel("__shared__ int room[32];", nil, "if (i == 0) *(volatile int*)((char*)room + (1 << 20)) = 1;") },
    { "call to a bad address", crash, kernel(nil, nil, "void (*volatile nowhere)() = (void (*)())0x1234560; if (i == 0) nowhere();") },
    { "store to memory of the full heap", crash, kernel(nil, nil, "if (i == 0) *(volatile int*)malloc(1ull << 40) = 1;") },
    { "endless, one block", "TIMEOUT", kernel(clock, "if (i == 0) while (now()) {}") },
    { "endless, all blocks", "TIMEOUT", kernel(clock, "while (now()) {}") },
    { "barrier of too many blocks", "TIMEOUT", kernel("__device__ unsigned arrived;",
        "if (threadIdx.x == 0) { atomicAdd(&arrived, 1); while (*(volatile unsigned*)&arrived % gridDim.x) {} } __syncthreads();") },
    { "wait that cannot end", "TIMEOUT", kernel(nil, "if (i == 0) *(volatile unsigned long long*)0x20180fff0 += 100;") },
    { "local memory of 150 GB", "PASSED", kernel(nil, "volatile float room[125000]; if (N < 0) room[i % 125000] = room[i % 7];") },
    { "variables beyond all memory", "OUT_OF_MEMORY", kernel("__device__ char hoard[160ull << 30];", nil, "if (i < N && *(volatile char*)(hoard + (i << 12))) o[i] = 1;") },
    { "runner killed", "any", slow, outside = "runner" },
    { "bench killed", "PASSED", slow, outside = "bench" },
    { "worker killed", "PASSED", slow, outside = "worker" },
}

-- The machine's own seconds: os.clock counts this process's work, os.time whole ones.
local function now()
    local file <close> = assert(io.open("/proc/uptime"))
    return file:read("n")
end

local submitted, collected = 0, 0
local function judged(code)
    local begun = now()
    submitted = submitted + 1
    judge:submit(task, { language = "cuda", code = code })
    local fine, _, j = pcall(judge.collect, judge)
    if not fine then return { verdict = "no answer", passed = false, reason = _ }, now() - begun end
    collected = collected + 1
    return j, now() - begun
end

-- A program that was not judged before: texts that differ in a comment do.
local function good(i) return kernel("// " .. i) end

local healthy = {}
for i = 1, 5 do
    local j, seconds = judged(good("healthy " .. i))
    if not j.passed then error(("a good kernel on a healthy device: %s %s"):format(j.verdict, j.reason)) end
    healthy[i] = seconds
end
table.sort(healthy)
local usual = healthy[3]
print(("a good kernel on a healthy device: %.2f s (%.2f to %.2f)"):format(usual, healthy[1], healthy[5]))
print(("%-34s %-14s %7s  %-9s %9s  %s"):format("fault", "verdict", "took s", "the next", "recovery", "reason"))

local failed, most = 0, 0
for i, fault in ipairs(faults) do
    local name, wanted, code = fault[1], fault[2], fault[3] .. "// " .. fault[1]
    if fault.outside then os.execute(("sh %s/kill_while_judging.sh %s $PPID &"):format(folder, fault.outside)) end
    local j, seconds = judged(code)
    local after, took = judged(good("after " .. name))
    local recovery = math.max(0, took - usual)
    local fine = after.passed and (wanted == "any" and j.verdict ~= "no answer" or j.verdict == wanted)
    failed, most = failed + (fine and 0 or 1), math.max(most, recovery)
    print(("%-34s %-14s %7.2f  %-9s %7.2f s  %s%s"):format(name, j.verdict, seconds, after.passed and "passed" or after.verdict, recovery,
        fine and "" or "!! ", j.reason:sub(1, 110)))
end
print(("%d faults, %d not as expected; longest recovery %.2f s; %d jobs submitted, %d lost"):format(#faults, failed, most, submitted,
    submitted - collected))
if failed > 0 or collected < submitted then error("not every fault was recovered from") end
