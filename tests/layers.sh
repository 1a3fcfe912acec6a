#!/bin/sh
# The arrows of DESIGN 2, checked: which folder may include which, and which built file may need which library.
# usage: tests/layers.sh SOURCE_FOLDER BUILD_FOLDER
set -u
source=$1 build=$2
faults=0

fault() {
    echo "$1"
    faults=$((faults + 1))
}

# may FOLDER ALLOWED...: quoted includes of engine/FOLDER lead only to the allowed folders
may() {
    folder=$1; shift
    allowed=$(echo "$*" | tr ' ' '|')
    found=$(grep -rnE '^#include "[a-z_]+/' "$source/engine/$folder" --include='*.[hc]pp' | grep -vE "#include \"($allowed)/")
    [ -z "$found" ] || fault "engine/$folder may include only: $*
$found"
}

# only PATTERN MEANING FOLDERS...: source lines with PATTERN occur below these folders only
only() {
    pattern=$1 meaning=$2; shift 2
    allowed=$(for folder in "$@"; do printf '|^%s/' "$folder"; done)
    found=$(cd "$source" && grep -rnE "$pattern" engine plugins policies --include='*.[hc]pp' --include='*.h' | grep -vE "${allowed#|}")
    [ -z "$found" ] || fault "$meaning belongs to: $*
$found"
}

may base base
may domain hone base domain
may parts hone base domain parts
may jail hone jail
may judge hone base domain parts judge jail  # jail: the layouts that the runner shares with it
may store base domain parts store
may lua base domain parts judge store lua
may commands base domain parts judge store lua commands

found=$(cd "$source" && grep -rnE '^#include "(base|domain|parts|judge|store|lua|commands)/' plugins policies)
[ -z "$found" ] || fault "plugins and policies see only hone/*
$found"

only 'lua_State' 'lua_State' engine/lua plugins/reference_torch plugins/reference_lua plugins/verifier_cuda plugins/cuda
only '#include <(torch|ATen|c10)/' 'LibTorch' policies/torch_lm plugins/reference_torch
only '#include <(cuda|nvrtc|cupti|nvml)[a-z_.]*h>' 'a CUDA header' nowhere

# the libraries that a built file asks the loader for
for file in "$build"/bin/* "$build"/lib/hone/plugins/*.so; do
    [ -f "$file" ] || continue
    needed=$(readelf -d "$file" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
    case $(basename "$file") in policy.torch-lm.so | reference.torch.so | torch_lm_*) ;; *)
        echo "$needed" | grep -qE '^lib(torch|c10)' && fault "$(basename "$file") needs LibTorch" ;;
    esac
    echo "$needed" | grep -qE '^lib(cuda|cudart|nvrtc|nvidia|cupti|torch_cuda)' && fault "$(basename "$file") needs a CUDA library: open it at run time"
done

[ "$faults" -eq 0 ] && echo "layers: every arrow points down"
[ "$faults" -eq 0 ]
