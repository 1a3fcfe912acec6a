#!/bin/sh
# Does mutant_peer tell harmless changes of a kernel from harmful ones? usage: mutant_peer_test.sh MUTANT_PEER
set -eu
peer=$1
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
faults=0

build() { echo "extern \"C\" void k(const float* a, float* o, long R, long C) { for (long r = 0; r < R; r++) { float s = 0; $1 } }" |
    c++ -x c++ -O1 -fPIC -shared - -o "$work/$2.so"; }

expect() {  # WORD BODY
    build "$2" mutant
    said=$(printf 'in f32 35 out f32 5 sizes 5 7\nin f32 64 out f32 1 sizes 1 64\n' | "$peer" "$work/original.so" "$work/mutant.so")
    case $said in "$1"*) ;; *) echo "expected $1, got \"$said\" for: $2"; faults=$((faults + 1)) ;; esac
}

build 'for (long c = 0; c < C; c++) s += a[r * C + c]; o[r] = s;' original
expect same 'for (long c = C - 1; c >= 0; c--) s += a[r * C + c]; o[r] = s;'
expect same 'double d = 0; for (long c = 0; c < C; c++) d += a[r * C + c]; o[r] = (float)d;'
expect differs 'for (long c = 0; c < C - 1; c++) s += a[r * C + c]; o[r] = s;'
expect differs 'for (long c = 0; c < C; c++) s += a[r * C + c]; o[r] = (float)(_Float16)s;'
expect differs 'for (long c = 0; c < C; c++) s += a[r * C + c]; o[r] = s * 1.0001f;'
expect 'differs: at 5x7, normal: it writes outside' 'for (long c = 0; c < C; c++) s += a[r * C + c]; o[r] = s; o[R] = s;'
expect 'differs: at 5x7, normal: it writes outside' 'for (long c = 0; c < C; c++) s += a[r * C + c]; o[r] = s; ((float*)a)[r] = 0;'
expect 'differs: signal' 'for (long c = 0; c < C; c++) s += a[r * C + c]; o[r] = s; *(volatile int*)8 = 1;'
[ "$faults" -eq 0 ]
