#!/bin/sh
# Judges one program for each part of the plan language on this machine's GPU, by streams and by graphs: verdict, speed, what it cost.
# usage: tests/gpu/plan/run.sh [BUILD_FOLDER]     (as tests/gpu/run.sh; a packed folder does)
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-$here/../../../build/release}" && pwd) || exit 2
if [ -z "${HONE_TORCH_DIR:-}" ]; then
    HONE_TORCH_DIR=$(python3 -c 'import os, torch; print(os.path.dirname(os.path.dirname(torch.__file__)))') || exit 4
    export HONE_TORCH_DIR
fi
export LD_LIBRARY_PATH="$build/lib:$HONE_TORCH_DIR/torch/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export HONE_SCRIPT_PATH="${HONE_SCRIPT_PATH:-$here/../../../scripts}"
results=${OUT:-$(mktemp -d)}
settings="--set judge.pool_mb=16000 --set judge.deadline=90 --set judge.seconds=5 --set judge.precision=0.01"

judge() {  # NAME.TASK WANTED_VERDICT LAUNCH
    begun=$(date +%s.%N)
    "$build/bin/hone" judge --suite gpu-basics "${1#*.}" "$here/$1.cu" --plan "$here/$1.lua" $settings --set "verifier.launch=$3" --json \
        > "$results/$1.$3.json" 2> "$results/$1.$3.log"
    code=$?
    python3 "$here/../row.py" "${1%.*} $3" "$2" "$code" "$begun" "$results/$1.$3.json" "$results/$1.$3.log" || failed=1
}

failed=0
printf '%-13s %-20s %-9s %s\n' program verdict 'seconds' details
for launch in stream graph; do
    for program in two_steps.row_sum cooperative.row_sum cluster.row_sum tma.transpose dependent.axpy specialised.axpy copied.axpy stale.axpy structure.axpy; do
        judge $program PASSED $launch
    done
    judge mismatched.axpy PLAN_ERROR $launch
    judge too_many.axpy LAUNCH_ERROR $launch
done
exit "$failed"
