#!/bin/sh
# All that needs an NVIDIA GPU, part by part; what it prints, with date and hardware, goes into docs/results/judge-gpu.md.
# usage: tests/gpu/run.sh [BUILD_FOLDER [PART...]]     (its driver and NVRTC are needed; LibTorch: HONE_TORCH_DIR, or python3's torch)
# parts: first (kernels of every fate), plan, honest, compiled (torch.compile's baselines; Python's torch and Triton), library (library steps beside them), zoo, python (the zoo of Python programs), faults, throughput, python_throughput (programs in a second), statistics, spread, records (CUPTI's), nsight,
# torch_lm, policy (the local model's speed beside transformers), templates, demo; all unless some are named: about an hour. Exit status: the number of parts that failed.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-$here/../../build/release}" && pwd) || exit 2
[ $# = 0 ] || shift
if [ -z "${HONE_TORCH_DIR:-}" ]; then
    HONE_TORCH_DIR=$(python3 -c 'import os, torch; print(os.path.dirname(os.path.dirname(torch.__file__)))') || exit 4
fi
export HONE_TORCH_DIR LD_LIBRARY_PATH="$build/lib:$HONE_TORCH_DIR/torch/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export HONE_SCRIPT_PATH="${HONE_SCRIPT_PATH:-$here/../../scripts}"
hone=$build/bin/hone
cd "$here/../.." || exit 2

first() {
    results=${OUT:-$(mktemp -d)} failed=0
    printf '%-13s %-20s %-9s %s\n' kernel verdict 'seconds' details
    while read -r task name wanted; do
        begun=$(date +%s.%N)
        "$hone" judge --suite gpu-basics "$task" "$here/$name.cu" --set judge.pool_mb=16000 --set judge.deadline=90 --set judge.seconds=20 \
            --set judge.precision=0.01 --json > "$results/$name.json" 2> "$results/$name.log" < /dev/null
        python3 "$here/row.py" "$name" "$wanted" $? "$begun" "$results/$name.json" "$results/$name.log" || failed=1
    done <<'KERNELS'
axpy honest PASSED
gated fused PASSED
axpy wrong INCORRECT_NUMERICAL
axpy refused COMPILE_ERROR
axpy writes_input RUNTIME_ERROR
axpy hangs TIMEOUT
axpy lingers any
KERNELS
    return $failed
}

# compiled SCRIPT SETTINGS...: its first round leaves transcripts of the tasks, the second has their packages.
compiled() {
    packages=$(mktemp -d) script=$1
    shift
    "$hone" run "$script" --name "gpu-transcripts-$$" --quiet "$@" --set compiled="$packages" --set seconds=0.05 > "$packages/first.txt" || cat "$packages/first.txt"
    python3 scripts/compile_references.py "$packages"  # what cannot be compiled has no such form
    ls "$packages"/*.pt2 > /dev/null || return 1
    { "$hone" run "$script" --name "gpu-compiled-$$" --quiet "$@" --set compiled="$packages"; echo $? > "$packages/status"; } | tee "$packages/second.txt"
    grep -q ' compiled' "$packages/second.txt" || { echo "no kernel was compared with a compiled form"; return 1; }
    passed=$(cat "$packages/status")
    rm -r "$packages"
    return "$passed"
}

# Each operator alone, then kernels behind them beside torch.compile's.
library() {
    "$hone" run tests/gpu/library_steps.lua --name "gpu-operators-$$" --quiet --set part=operators
    operators=$?
    compiled tests/gpu/library_steps.lua --set part=fused && [ "$operators" = 0 ]
}

# The local model against the GPU's limits, and transformers where Python has it.
policy() {
    failed=0
    python="env -u LD_LIBRARY_PATH python3"
    for shape in 135m 1.5b 8b; do
        answers=1,16,64,256 learn=learn
        [ $shape != 8b ] || { answers=1,16,64; learn=; }
        "$build/bin/policy_bench" $shape $answers $learn || failed=1
        ! $python -c 'import transformers' || $python tests/bench/policy_peers.py $shape $answers $learn || failed=1
    done
    return $failed
}

part() {
    case $1 in
        first) "$hone" doctor && first ;;
        plan) sh "$here/plan/run.sh" "$build" ;;
        nsight) python3 "$here/nsight.py" "$hone" ;;
        compiled) compiled tests/gpu/honest.lua ;;
        library) library ;;
        policy) policy ;;
        zoo) "$hone" zoo tests/gpu/zoo --open --quiet ;;
        python) "$hone" zoo tests/python/zoo --open --quiet ;;
        torch_lm) "$hone" run tests/gpu/torch_lm.lua --quiet ;;  # begins a run a device
        honest|faults|throughput|python_throughput|statistics|spread|records|templates) "$hone" run "tests/gpu/$1.lua" --name "gpu-$1-$$" --quiet ;;
        demo) "$hone" run scripts/gpu_demo.lua --name "gpu-demo-$$" --quiet ;;
        *) echo "no part \"$1\"; the head of $0 lists them" >&2; return 2 ;;
    esac
}

nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem --format=csv,noheader || exit 4
off=0
[ $# -gt 0 ] || set -- first plan honest compiled library zoo python faults throughput python_throughput statistics spread records nsight torch_lm policy templates demo
for name in "$@"; do
    echo "== $name, $(date -u '+%Y-%m-%d %H:%M')"
    part "$name" || { echo "== $name FAILED"; off=$((off + 1)); }
done
exit "$off"
