#!/usr/bin/env python3
"""Breaks each arrow of tests/layers.py once and expects to be told of that line."""
import sys

import layers


def cases():
    for room, allowed in layers.ENGINE.items():
        for other in layers.ENGINE:
            if other != room and other not in allowed:
                yield f"engine/{room}/broken.hpp", f'#include "{other}/any.hpp"'
    yield "engine/attic/broken.hpp", ""
    for part in ("plugins/timer/broken.cpp", "policies/http/broken.cpp", "devices/cuda/broken.cpp"):
        for target in ("base/json.hpp", "judge/call/arena.hpp", "sandbox/jail.hpp", "verifier_cpp/cache.hpp"):
            yield part, f'#include "{target}"'
    for word in ("libcuda.so.1", "gpu-basics", "cpp", "fake"):
        yield "engine/judge/call/broken.cpp", f'return kind == "{word}";'
    yield "engine/judge/call/broken.cpp", 'return "set kind: \\"cuda\\", see https://x";'
    yield "engine/base/broken.cpp", "int count(lua_State*);"
    yield "engine/judge/call/broken.cpp", "#include <torch/torch.h>"
    yield "plugins/verifier_cuda/broken.cpp", "#include <cuda_runtime.h>"


missed, tried = [], 0
for name, line in cases():
    found = [*layers.faults_of(name, line)]
    tried += 1
    if len(found) != 1 or not found[0].startswith(name):
        missed.append(f"{line!r} in {name}: {found or 'nothing was told'}")
print("\n".join(missed) if missed else f"{tried} arrows, each told when it is broken")
sys.exit(1 if missed else 0)
