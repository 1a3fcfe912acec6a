#!/bin/sh
# Runs every fuzzer beside this script at once, each on its share of the cores, and prints one line a target: what it ran, what it covered, what it
# found. usage: run.sh SECONDS [BIN_FOLDER]. Logs, new corpus entries and crashes go to $OUT (default: a temporary folder). Exit 1: a finding.
set -u
here=$(cd "$(dirname "$0")" && pwd)
seconds=$1 bin=$(cd "${2:-$here/bin}" && pwd) || exit 2
results=${OUT:-$(mktemp -d)}
export LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
targets=$(cd "$bin" && ls | sed -n 's/^fuzz_//p')
jobs=$(($(nproc) / $(echo $targets | wc -w)))
[ "$jobs" -ge 1 ] || jobs=1

for target in $targets; do
    mkdir -p "$results/$target/corpus" "$results/$target/crashes"
    cp "$here/corpus/$target"/* "$results/$target/corpus"
    # what is in the tree first: a merge of corpora would pass over a seed that crashes
    (cd "$results/$target" && "$bin/fuzz_$target" -artifact_prefix=crashes/seed- "$here/corpus/$target"/* >seeds 2>&1) || tail -20 "$results/$target/seeds"
    # -fork: a process that died is replaced, and what it found is kept
    (cd "$results/$target" && "$bin/fuzz_$target" -fork="$jobs" -ignore_crashes=1 -ignore_timeouts=1 -ignore_ooms=1 -timeout=10 -rss_limit_mb=4096 \
        -max_total_time="$seconds" -dict="$here/$target.dict" -artifact_prefix=crashes/ corpus >log 2>&1) &
done
wait

findings=0
printf '%-14s %12s %9s %7s %9s\n' target executions coverage corpus findings
for target in $targets; do
    folder=$results/$target
    last=$(grep -E '^#[0-9]+: cov:' "$folder/log" | tail -1)
    found=$(ls "$folder/crashes" | wc -l)
    printf '%-14s %12s %9s %7s %9s\n' "$target" "$(echo "$last" | sed -n 's/^#\([0-9]*\):.*/\1/p')" "$(echo "$last" | sed -n 's/.*cov: \([0-9]*\).*/\1/p')" \
        "$(ls "$folder/corpus" | wc -l)" "$found"
    findings=$((findings + found))
    [ -n "$last" ] || { tail -5 "$folder/log"; findings=$((findings + 1)); }
done
[ "$findings" -eq 0 ]
