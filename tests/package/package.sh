#!/bin/sh
# What a stranger does: install hone, copy an example out of the tree, build it by CMake and by pkg-config, and use it. The installation is
# then moved, because packages are, and a part for another ABI is met with words.
# usage: tests/package/package.sh SOURCE_FOLDER BUILD_FOLDER
set -eu
source=$(realpath "$1") build=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset HONE_PLUGIN_PATH HONE_SCRIPT_PATH
contract=$scratch/installed/bin/hone-contract

step() { echo "-- $*"; }
fail() { echo "package: $*" >&2; exit 1; }
expect() { printf '%s\n' "$2" | grep -qF -- "$1" || fail "expected \"$1\" in: $2"; }

step "hone new in the build tree: each line that it prints"
(cd "$scratch" && "$build/bin/hone" new timer tree-timer > printed && grep '^  ' printed | sed 's|hone plugins|$hone plugins|' > lines.sh &&
    hone=$build/bin/hone sh -eux lines.sh > log 2>&1) || { cat "$scratch/log"; fail "what hone new prints does not work in a build tree"; }
expect "timer.tree-timer 1.0" "$(cat "$scratch/log")"

step "install, then move the installation"
cmake --install "$build" --prefix "$scratch/first" > "$scratch/install.log"
mv "$scratch/first" "$scratch/installed"
hone=$scratch/installed/bin/hone

cd "$scratch"

step "a part of each kind by hone new: build, ask for the contract, install, load"
for kind in timer verifier reference prompt shaper policy; do
    "$hone" new $kind my-$kind > log || fail "hone new $kind"
    expect "ctest --test-dir my-$kind/build" "$(cat log)"
    cmake -G Ninja -S my-$kind -B my-$kind/build -DCMAKE_PREFIX_PATH="$scratch/installed" -DCMAKE_BUILD_TYPE=Release > log 2>&1 || { cat log; fail "configure $kind"; }
    cmake --build my-$kind/build > log 2>&1 || { cat log; fail "build $kind"; }
    ctest --test-dir my-$kind/build --verbose --no-tests=error > log || { cat log; fail "$kind breaks the contract"; }
    grep "not asked" log && fail "the test of $kind does not ask every function"
    cmake --install my-$kind/build > log
    "$hone" plugins $kind.my-$kind > log || fail "hone plugins $kind"
    expect "$kind.my-$kind 1.0" "$(cat log)"
    exported=$(nm -D --defined-only installed/lib/hone/plugins/$kind.my-$kind.so | awk '$2 ~ /[A-Z]/ && $2 != "W" && $2 != "V" {print $3}')
    [ "$exported" = hone_part_entry ] || fail "$kind exports: $exported"
done

step "a function without override is a compile error: if it were misspelt, it would override nothing"
sed -i.right 's/ override//' my-timer/my-timer.cpp
cmake --build my-timer/build > log 2>&1 && fail "a timer without override was built"
expect "can be marked override [-Werror=suggest-override]" "$(cat log)"
mv my-timer/my-timer.cpp.right my-timer/my-timer.cpp

step "a task is judged by the reference of one's own"
cat > mean.lua <<'END'
return { name = "mean", statement = "Half of the sum.", hidden = { { R = 3, C = 5 } }, shapes = { { R = 64, C = 64 } },
    inputs = { { name = "a", shape = { "R", "C" } }, { name = "b", shape = { "R", "C" } } }, outputs = { { name = "o", shape = { "R", "C" } } },
    reference = function(a, b) return array.map(function(x, y) return (x + y) / 2 end, a, b) end }
END
echo 'a b + 0.5 *' > right.postfix
echo 'a b +' > wrong.postfix
judge_mean() { XDG_STATE_HOME=$scratch/state "$hone" judge --quiet mean.lua "$1" --verifier my-verifier --timer my-timer --reference my-reference 2>&1 || true; }
expect INCORRECT_NUMERICAL "$(judge_mean wrong.postfix)"
answer=$(judge_mean right.postfix)
case $answer in *PASSED*|*INFRASTRUCTURE*busy*) ;; *) fail "the right program: $answer" ;; esac
step "a whole device with memory of its own: build, ask for the contract, judge against the task's program and another"
cp -r installed/share/hone/examples/device device
cmake -G Ninja -S device -B device/build -DCMAKE_PREFIX_PATH="$scratch/installed" -DCMAKE_BUILD_TYPE=Release > log 2>&1 || { cat log; fail "configure the device"; }
cmake --build device/build > log 2>&1 || { cat log; fail "build the device"; }
ctest --test-dir device/build --verbose --no-tests=error > log || { cat log; fail "the device breaks the contract"; }
grep "not asked" log && fail "the tests of the device do not ask every function"
judge_on_device() { HONE_PLUGIN_PATH=$scratch/device/build XDG_STATE_HOME=$scratch/state "$hone" judge --quiet "$@" 2>&1 || true; }
answer=$(judge_on_device device/blend.lua device/once.dsp)
expect PASSED "$answer"
expect "less: uses 0.822x the cycles of the task's baseline program" "$answer"  # 37 cycles an element against 45
grep -v 'load r3 b' device/once.dsp > wrong.dsp
expect INCORRECT_NUMERICAL "$(judge_on_device device/blend.lua wrong.dsp)"
grep -v baseline_program device/blend.lua | awk '/^load r0 a/ {skip = 1} !skip; /^]] }/ {skip = 0}' > bare.lua
expect "has no baseline on a device of kind \"dsp\"" "$(judge_on_device bare.lua device/once.dsp)"
expect "ambiguous: uses 1x the cycles of the other program" "$(judge_on_device bare.lua device/once.dsp --against device/once.dsp)"

step "build the timer by pkg-config, by the lines of the installed page"
mkdir own
sed -n '/PKG_CONFIG_PATH=/p; /^ *c++ .*pkg-config/p' installed/share/hone/examples/README.md |
    sed "s|DIR|$scratch/installed|; s|stopwatch.cpp|my-timer/my-timer.cpp|; s|timer.stopwatch.so|own/timer.my-timer.so|" > lines.sh
[ "$(wc -l < lines.sh)" = 2 ] || fail "examples/README.md has no two lines for pkg-config"
sh -eu lines.sh || fail "the page's lines for pkg-config do not work as printed"
"$contract" own/timer.my-timer.so
expect "hides $scratch/installed/lib/hone/plugins/timer.my-timer.so" "$(HONE_PLUGIN_PATH=$scratch/own "$hone" plugins)"

step "hone plugins --check asks the same and tells what the timer is worth"
HONE_PLUGIN_PATH=$scratch/own "$hone" plugins --check timer.my-timer > log || { cat log; fail "hone plugins --check"; }
for words in 'times devices of kind cpu, in unit "s"' "offers hone.timer/1: kinds unit time attach; not flush facts" "noise" "an empty call: " "resolution: " "0 promises broken"; do
    expect "$words" "$(cat log)"
done

step "a misspelt kind of part"
sed 's/hone_add_part(timer/hone_add_part(timr/' my-timer/CMakeLists.txt > log && mkdir misspelt && mv log misspelt/CMakeLists.txt
answer=$(cmake -G Ninja -S misspelt -B misspelt/build -DCMAKE_PREFIX_PATH="$scratch/installed" 2>&1) && fail "hone_add_part(timr ...) was configured"
expect 'there is no kind of part "timr"' "$(echo $answer)"  # CMake breaks its lines
expect 'kinds: policy, prompt, shaper, timer, verifier, reference' "$(echo $answer)"

step "a newer package is asked for"
sed 's/find_package(hone 0.1/find_package(hone 9.0/' my-timer/CMakeLists.txt > log && mkdir newer && mv log newer/CMakeLists.txt
answer=$(cmake -G Ninja -S newer -B newer/build -DCMAKE_PREFIX_PATH="$scratch/installed" 2>&1) && fail "find_package(hone 9.0) was satisfied"
expect 'version: 0.1' "$answer"

step "a part for another ABI major is refused with the cure"
cp -r installed/include other
sed -i 's/#define HONE_MAJOR .*/#define HONE_MAJOR 99/' other/hone/part.h
mkdir wrong
c++ -std=c++20 -fPIC -shared -fvisibility=hidden -Iother my-timer/my-timer.cpp -o wrong/timer.my-timer.so
answer=$(HONE_PLUGIN_PATH=$scratch/wrong "$hone" plugins)
expect "$scratch/wrong/timer.my-timer.so: was built for hone ABI 99.0, this is hone" "$answer"
expect "build the part again with the headers of this hone" "$answer"
echo "package: examples build, load and keep the contract"
