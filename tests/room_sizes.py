#!/usr/bin/env python3
"""What each room costs: the table of DESIGN 2, counted from the tree.

usage: tests/room_sizes.py ROOT           exit status 1 where a number of DESIGN is off by more than a tenth
       tests/room_sizes.py ROOT --write   puts today's numbers and date into DESIGN.md
"""
import datetime
import pathlib
import re
import sys

SOURCES = {".c", ".cpp", ".hpp", ".h", ".cu", ".lua", ".py", ".sh"}
# A room is a list of folders; what stands behind a "-" is not counted with it.
LEFT = {"engine/base": ["engine/base"], "engine/sdk/hone": ["engine/sdk"], "engine/domain": ["engine/domain"],
        "engine/text": ["engine/text"], "engine/parts": ["engine/parts"],
        "engine/sandbox, with runner": ["engine/sandbox"], "engine/store": ["engine/store"],
        "engine/judge/correctness": ["engine/judge/correctness"], "engine/judge/call": ["engine/judge/call"],
        "engine/judge/timing": ["engine/judge/timing"], "engine/judge/service": ["engine/judge/service"],
        "engine/lint": ["engine/lint"], "engine/run and engine/lua": ["engine/run", "engine/lua"],
        "engine/commands": ["engine/commands"], "**engine, all**": ["engine"]}
RIGHT = {"devices": ["devices"], "plugins/verifier_cuda": ["plugins/verifier_cuda"],
         "plugins/verifier_cpp": ["plugins/verifier_cpp"], "plugins/verifier_python": ["plugins/verifier_python"],
         "plugins/reference_torch, reference_lua": ["plugins/reference_torch", "plugins/reference_lua"],
         "plugins/timer, prompt, shaper": ["plugins/timer", "plugins/prompt", "plugins/shaper"],
         "plugins/testing": ["plugins/testing"], "policies/torch_lm": ["policies/torch_lm"],
         "policies/http": ["policies/http"], "policies/bigram, replay": ["policies/bigram", "policies/replay.cpp"],
         "scripts/hone": ["scripts/hone"], "scripts/import": ["scripts/import"],
         "scripts/suites, templates": ["scripts/suites", "scripts/templates"],
         "scripts/kernels": ["scripts/kernels"],
         "scripts, the rest": ["scripts", "-scripts/hone", "-scripts/import", "-scripts/suites", "-scripts/templates",
                               "-scripts/kernels"],
         "tests/unit": ["tests/unit"],
         "tests, the rest": ["tests", "-tests/unit"], "examples": ["examples"]}


def files_of(root, folder):
    path = root / folder
    found = path.rglob("*") if path.is_dir() else [path]
    return {one for one in found if one.is_file() and one.suffix in SOURCES}


def counted(root, folders):
    files = set()
    for folder in folders:
        files = files - files_of(root, folder[1:]) if folder.startswith("-") else files | files_of(root, folder)
    return len(files), sum(one.read_bytes().count(b"\n") for one in files)


def cells(root, room):
    if room is None:
        return "|  |  |"
    name, folders = room
    files, lines = counted(root, folders)
    bold = "**" if name.startswith("**") else ""
    return f"| {name} | {bold}{files}{bold} | {bold}{lines:,}{bold}"


def table(root):
    left, right = list(LEFT.items()), list(RIGHT.items())
    left += [None] * (len(right) - len(left))
    rows = [f"{cells(root, a)} {cells(root, b).replace('| ', '| | ', 1)} |" for a, b in zip(left, right)]
    return "\n".join(rows) + "\n"


def numbers(text):
    return {name: int(lines.replace(",", "")) for name, lines in
            re.findall(r"\| ([^|]+?) \| \**[\d]+\** \| \**([\d,]+)\** ", text)}


def main():
    root = pathlib.Path(sys.argv[1])
    design = (root / "DESIGN.md").read_text()
    head = re.search(r"\n\| room \| files \| lines \|.*\n\|[-|]+\|\n", design)
    old = design[head.end():design.index("\n\n", head.end()) + 1]
    new = table(root)
    if "--write" in sys.argv:
        today = datetime.date.today()
        text = design.replace(old, new)
        text = re.sub(r"(shell\) of )[^,]+,", rf"\g<1>{today.day} {today:%B %Y},", text)
        (root / "DESIGN.md").write_text(text)
        return 0
    stated, wrong = numbers(old), 0
    for name, lines in numbers(new).items():
        if not 0.9 * lines <= stated.get(name, 0) <= 1.1 * lines + 20:
            wrong = 1
            print(f"DESIGN.md: {name} has {lines} lines, not {stated.get(name, 0)}: tests/room_sizes.py . --write")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
