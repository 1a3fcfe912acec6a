#!/bin/sh
# Collects what run.sh needs on a machine that cannot build: programs and plugins without debug information, libraries that such machines lack
# (Lua, SQLite, seccomp, PCRE2, utf8proc), scripts and this folder. usage: tests/gpu/pack.sh BUILD_FOLDER TARGET_FOLDER; then TARGET_FOLDER/tests/gpu/run.sh TARGET_FOLDER
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$1 target=$2
cmake --build "$build" --target all policy_bench nvrtc_builder_bench
rm -rf "$target"
mkdir -p "$target/bin" "$target/lib/hone/plugins" "$target/lib/hone/runners" "$target/tests"
cp "$build/bin/hone" "$build/bin/hone-contract" "$build/bin/hone-jail" "$build/bin/hone-jail-cuda" "$build/bin/hone-nvrtc" "$build/bin/hone-plan" "$target/bin"
cp "$build"/lib/hone/plugins/*.so "$target/lib/hone/plugins"
cp "$build"/lib/hone/runners/*.so "$target/lib/hone/runners"
cp "$build/bin/nvrtc_builder_bench" "$build/bin/policy_bench" "$target/bin"  # what they print is measured
strip "$target"/bin/* "$target"/lib/hone/plugins/* "$target"/lib/hone/runners/*
for library in $(ldd "$target/bin/hone" "$target"/lib/hone/plugins/*.so "$target"/lib/hone/runners/*.so | sed -n 's/.*=> \(.*lib\(lua\|sqlite3\|seccomp\|pcre2\|utf8proc\)[^ ]*\) .*/\1/p' | sort -u); do
    cp "$library" "$target/lib"
done
cp -r "$source/tests/gpu" "$target/tests/gpu"
mkdir -p "$target/tests/bench"
cp "$source/tests/bench/policy_peers.py" "$target/tests/bench"
mkdir -p "$target/tests/python"
cp -r "$source/tests/python/zoo" "$target/tests/python/zoo"
cp -r "$source/scripts" "$target/scripts"
needs=$(for file in "$target"/bin/* "$target"/lib/hone/plugins/* "$target"/lib/hone/runners/*; do objdump -T "$file"; done | sed -n 's/.*(\?GLIBC_\([0-9.]*\)).*/\1/p' | sort -uV | tail -1)
echo "packed $(du -sh "$target" | cut -f1), needs glibc $needs"
