#!/usr/bin/env python3
"""The arrows of DESIGN 2, checked: which room may include which, and which built file may need which library.

usage: tests/layers.py SOURCE_FOLDER [BUILD_FOLDER]     prints each arrow that points up; exit status 1 if there is one
"""
import pathlib
import re
import subprocess
import sys

# A room may include itself, the rooms named here and the SDK (hone/...). A room below another one ("judge/call") has arrows of its own.
ENGINE = {
    "base": [],
    "domain": ["base"],
    "text": ["base", "domain"],
    "parts": ["base", "domain"],
    "sandbox/runner": [],  # hone-jail: nothing of the engine may be in a candidate's process
    "sandbox": ["base", "parts", "sandbox/runner"],
    "store": ["base", "domain", "text"],
    "judge/correctness": ["base", "domain"],
    "judge/call": ["base", "domain", "parts", "judge/correctness"],
    "judge/timing": ["base", "domain", "parts", "judge/correctness", "judge/call"],
    "judge/service": ["base", "domain", "parts", "sandbox", "judge/correctness", "judge/call", "judge/timing"],
}
ENGINE["lint"] = ["base", "domain", "parts", "judge/correctness", "judge/call", "judge/timing", "judge/service"]
ENGINE["run"] = ["base", "domain", "parts", "store", "judge/service"]  # no lua_State
ENGINE["lua"] = ["base", "domain", "text", "parts", "store", "judge/call", "judge/service", "run"]
ENGINE["commands"] = [*ENGINE, "commands"]

# Beside their own folder and the SDK, parts include only what parts of one kind of device, or of one library, share.
DEVICES = ["cpp", "cuda", "libtorch"]

# What a line says, and the only folders that may say it.
ONLY = [
    (r"lua_State", "lua_State", ["engine/lua", "plugins/reference_torch", "plugins/reference_lua", "plugins/verifier_cuda/plan"]),
    (r"#include <(torch|ATen|c10)/", "LibTorch", ["policies/torch_lm", "plugins/reference_torch", "plugins/verifier_cuda/library", "devices/libtorch"]),
    (r"#include <(cuda|nvrtc|cupti|nvml)[a-z_.]*h>", "a CUDA header", ["plugins/verifier_python/extension"]),
]


def engine_fault(name, target):
    """Why an engine file may not include a header; None if it may."""
    inner = name[len("engine/"):]
    if inner.startswith("sdk/") or "/" not in inner or target.startswith("hone/"):
        return None
    room = room_of(inner)
    other = room if "/" not in target else room_of(target)
    if other == room or other in ENGINE.get(room, []):
        return None
    return f"engine/{room} may not include \"{target}\""


def part_fault(name, target):
    first, own = target.split("/")[0], name.split("/")[1]
    if "/" not in target or first in ("hone", own) or first in DEVICES and not name.startswith("devices/"):
        return None
    return f"{name.split('/')[0]} may not include \"{target}\": only hone/..., their own folder and devices/"


# The engine knows no vendor, no language, no suite and no test plugin: what it must know of them, parts tell (parts/verifiers.hpp). A word
# of these in a string is a fault, but for the protocol of CUDA-L1's paper.
FOREIGN = re.compile(r"cuda(?!.l1)|nvidia|nvrtc|libcu|(cpu|gpu)-basics|\bcpp\b|c\+\+|python|triton|\.cu\b|\bfake\b", re.IGNORECASE)
FOREIGN_ALLOWED = {
    "engine/text/canonical.cpp": "the text of programs in C's family, until verifiers offer their own",
    "engine/sandbox/build.cpp": "where compilers keep their headers",
    "engine/commands/import/import.cpp": "modules to import are written in Python",
    "engine/commands/import/program.cpp": "the same: the user's Python runs them",
}


def room_of(name):
    """The room of an engine file, "judge/call" for judge/call/arena.hpp; None for one that lies in no room."""
    found = [room for room in ENGINE if name.startswith(room + "/")]
    return max(found, key=len) if found else None


def faults_of(name, text):
    """What is wrong with one source, named by its path from the root."""
    inner = name[len("engine/"):]
    if name.startswith("engine/") and "/" in inner and not inner.startswith("sdk/") and room_of(inner) is None:
        yield f"{name}: lies in no room of tests/layers.py"
        return
    fault_of = engine_fault if name.startswith("engine/") else part_fault
    for number, line in enumerate(text.split("\n"), 1):
        included = re.match(r'\s*#include "([^"]+)"', line)
        fault = fault_of(name, included.group(1)) if included else None
        if fault:
            yield f"{name}:{number}: {fault}"
        # strings, or a comment: whichever begins first
        tokens = re.findall(r'"(?:[^"\\]|\\.)*"|//.*', line) if not included else []
        word = next((m for token in tokens if token[0] == '"' and (m := FOREIGN.search(token))), None)
        if word and name.startswith("engine/") and not name.startswith("engine/sdk/") and name not in FOREIGN_ALLOWED:
            yield f"{name}:{number}: the engine knows no \"{word.group()}\": a part tells what is to be known of it"
        for pattern, meaning, folders in ONLY:
            if re.search(pattern, line) and not name.startswith(tuple(folder + "/" for folder in folders)):
                yield f"{name}:{number}: {meaning} belongs to {', '.join(folders) or 'no folder'}"


def source_faults(root):
    for folder in ("engine", "plugins", "policies", "devices"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".cpp", ".hpp", ".h"):
                yield from faults_of(path.relative_to(root).as_posix(), path.read_text())


def needed_faults(build):
    for path in sorted([*build.glob("bin/*"), *build.glob("lib/hone/plugins/*.so")]):
        told = subprocess.run(["readelf", "-d", path], capture_output=True, text=True).stdout
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", told)
        if not re.match(r"policy\.torch-lm\.so|reference\.torch\.so|torch_lm_|(chat_template|tokenizer|model)_peer|(decode|load|policy)_bench", path.name):
            yield from (f"{path.name} needs {lib}" for lib in needed if re.match(r"lib(torch|c10)", lib))
        yield from (f"{path.name} needs {lib}: open it at run time" for lib in needed
                    if re.match(r"lib(cuda|cudart|nvrtc|nvidia|cupti|torch_cuda)", lib))


def main():
    root = pathlib.Path(sys.argv[1])
    faults = [*source_faults(root)]
    if len(sys.argv) > 2:
        faults += needed_faults(pathlib.Path(sys.argv[2]))
    print("\n".join(faults) if faults else "layers: every arrow points down")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
