#!/bin/sh
# judge_statistics.lua while the second of two cores is busy about half of the time, in bursts of 0.3 s. usage: see there; HONE names the program.
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
hone=${HONE:-$here/build/release/bin/hone}
cores=$(taskset -cp $$ | sed 's/.*: //')
last=$(echo "$cores" | sed 's/.*[,-]//')
(while :; do timeout 0.3 taskset -c "$last" yes >/dev/null || sleep 0.3; done) &
busy=$!
trap 'kill "$busy"' EXIT INT TERM
cd "$here" && "$hone" run tests/bench/judge_statistics.lua "$@"
