#!/bin/sh
# What a stranger does: install hone, copy an example out of the tree, build it by CMake and by pkg-config, and use it. The installation is
# then moved, because packages are, and a part for another ABI is met with words.
# usage: tests/package/package.sh SOURCE_FOLDER BUILD_FOLDER
set -eu
source=$(realpath "$1") build=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset HONE_PLUGIN_PATH HONE_SCRIPT_PATH
contract=$build/bin/hone_contract

step() { echo "-- $*"; }
fail() { echo "package: $*" >&2; exit 1; }
expect() { printf '%s\n' "$2" | grep -qF -- "$1" || fail "expected \"$1\" in: $2"; }

step "install, then move the installation"
cmake --install "$build" --prefix "$scratch/first" > "$scratch/install.log"
mv "$scratch/first" "$scratch/installed"
hone=$scratch/installed/bin/hone
cp -r "$source/examples/plugin" "$source/examples/verifier" "$scratch"
cd "$scratch"

step "build both examples by CMake"
for example in plugin verifier; do
    cmake -G Ninja -S $example -B $example/build -DCMAKE_PREFIX_PATH="$scratch/installed" -DCMAKE_BUILD_TYPE=Release > log 2>&1 || { cat log; fail "configure $example"; }
    cmake --build $example/build > log 2>&1 || { cat log; fail "build $example"; }
    cmake --install $example/build --prefix "$scratch/installed" > log
done
for part in timer.stopwatch verifier.postfix; do
    "$contract" installed/lib/hone/plugins/$part.so || fail "$part breaks the contract"
    "$hone" plugins $part > log || fail "hone plugins $part"
    expect "$part 1.0" "$(cat log)"
    exported=$(nm -D --defined-only installed/lib/hone/plugins/$part.so | awk '$2 ~ /[A-Z]/ && $2 != "W" && $2 != "V" {print $3}')
    [ "$exported" = hone_part_entry ] || fail "$part exports: $exported"
done

step "build the timer by pkg-config"
flags=$(PKG_CONFIG_PATH=installed/share/pkgconfig pkg-config --cflags hone)
mkdir own
# shellcheck disable=SC2086
c++ -std=c++20 -O2 -fPIC -shared -fvisibility=hidden $flags plugin/stopwatch.cpp -o own/timer.stopwatch.so
"$contract" own/timer.stopwatch.so
expect "hides $scratch/installed/lib/hone/plugins/timer.stopwatch.so" "$(HONE_PLUGIN_PATH=$scratch/own "$hone" plugins)"

step "a newer package is asked for"
sed 's/find_package(hone 0.1/find_package(hone 9.0/' plugin/CMakeLists.txt > log && mkdir newer && mv log newer/CMakeLists.txt
answer=$(cmake -G Ninja -S newer -B newer/build -DCMAKE_PREFIX_PATH="$scratch/installed" 2>&1) && fail "find_package(hone 9.0) was satisfied"
expect 'version: 0.1' "$answer"

step "a part for another ABI major is refused with the cure"
cp -r installed/include other
sed -i 's/#define HONE_MAJOR .*/#define HONE_MAJOR 99/' other/hone/abi.h
mkdir wrong
c++ -std=c++20 -fPIC -shared -fvisibility=hidden -Iother plugin/stopwatch.cpp -o wrong/timer.stopwatch.so
answer=$(HONE_PLUGIN_PATH=$scratch/wrong "$hone" plugins)
expect "$scratch/wrong/timer.stopwatch.so: was built for hone ABI 99.0, this is hone" "$answer"
expect "build the part again with the headers of this hone" "$answer"
echo "package: examples build, load and keep the contract"
