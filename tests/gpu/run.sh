#!/bin/sh
# Judges kernels of every fate on this machine's GPU and prints one table: verdict, speed, the judge's clock against the jail's, what it cost.
# usage: tests/gpu/run.sh [BUILD_FOLDER]     (needs an NVIDIA GPU, its driver and NVRTC; LibTorch as the build found it, or python3's torch)
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-$here/../../build/release}" && pwd) || exit 2
if [ -z "${HONE_TORCH_DIR:-}" ]; then
    HONE_TORCH_DIR=$(python3 -c 'import os, torch; print(os.path.dirname(os.path.dirname(torch.__file__)))') || exit 4
    export HONE_TORCH_DIR
fi
export LD_LIBRARY_PATH="$build/lib:$HONE_TORCH_DIR/torch/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export HONE_SCRIPT_PATH="${HONE_SCRIPT_PATH:-$here/../../scripts}"
results=${OUT:-$(mktemp -d)}
settings="--set judge.pool_mb=16000 --set judge.deadline=90 --set judge.seconds=20 --set judge.precision=0.01"

judge() {  # TASK FILE WANTED_VERDICT
    begun=$(date +%s.%N)
    "$build/bin/hone" judge --suite gpu-basics "$1" "$here/$2.cu" $settings --json > "$results/$2.json" 2> "$results/$2.log"
    code=$?
    python3 "$here/row.py" "$2" "$3" "$code" "$begun" "$results/$2.json" "$results/$2.log" || failed=1
}

failed=0
nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem --format=csv,noheader || exit 4
"$build/bin/hone" doctor
printf '%-13s %-20s %-9s %s\n' kernel verdict 'seconds' details
judge axpy honest PASSED
judge gated fused PASSED
judge axpy wrong INCORRECT_NUMERICAL
judge axpy refused COMPILE_ERROR
judge axpy writes_input RUNTIME_ERROR
judge axpy hangs TIMEOUT
judge axpy lingers any
exit "$failed"
