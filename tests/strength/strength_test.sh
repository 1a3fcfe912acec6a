#!/bin/sh
# A short measurement of the verifier's strength. usage: strength_test.sh HONE MUTANT_PEER SOURCE_FOLDER
set -eu
hone=$1 peer=$2 source=$3
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cd "$work"
"$hone" run "$source/tests/strength/strength.lua" --set mutant.peer="$peer" --set mutant.source="$source" \
    --set mutant.count=30 --set mutant.least=0.9
