#!/bin/sh
# Collects what run.sh needs on a machine that cannot build: the fuzzers, the libraries that such machines may lack, corpora and dictionaries.
# usage: tests/fuzz/pack.sh BUILD_FOLDER TARGET_FOLDER; then TARGET_FOLDER/run.sh SECONDS
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$1 target=$2
rm -rf "$target"
mkdir -p "$target/bin" "$target/lib"
cp "$build"/bin/fuzz_* "$target/bin"
for library in $(ldd "$target"/bin/* | sed -n 's/.*=> \(.*lib\(crypto\|stdc++\|gcc_s\)[^ ]*\) .*/\1/p' | sort -u); do
    cp -L "$library" "$target/lib"
done
cp -r "$here/corpus" "$here"/*.dict "$here/run.sh" "$target"
needs=$(for file in "$target"/bin/* "$target"/lib/*; do objdump -T "$file"; done | sed -n 's/.*(\?GLIBC_\([0-9.]*\)).*/\1/p' | sort -uV | tail -1)
echo "packed $(du -sh "$target" | cut -f1), needs glibc $needs"
