#!/usr/bin/env python3
"""Every C++ source is as .clang-format says and has 120 columns or less; raw strings hold other languages and are left alone.

usage: tests/format.py SOURCE_FOLDER CLANG_FORMAT     exit status: 0 fine, 1 faults (each printed), 77 no clang-format 14
"""
import pathlib
import re
import subprocess
import sys

COLUMNS = 120
# Specimens (tests/exploits, tests/gpu/zoo) and hand-written kernels are candidates: their text is data.
FOLDERS = ["engine", "plugins", "policies", "devices", "examples", "tests/unit", "tests/bench", "tests/contract", "tests/fixtures",
           "tests/full", "tests/fuzz", "tests/torch_lm", "tests/strength"]


def long_lines(text):
    inside = None  # the end of the raw string that the line lies in
    for number, line in enumerate(text.split("\n"), 1):
        begun = inside is not None
        opened = re.search(r'R"([a-z]*)\(', line)
        if not begun and opened:
            inside = ")" + opened.group(1) + '"'
        if inside and inside in line[opened.end() if opened and not begun else 0:]:
            inside = None
        if len(line) > COLUMNS and not begun and not opened:
            yield number, len(line)


def main():
    root, formatter = pathlib.Path(sys.argv[1]), sys.argv[2]
    try:
        version = subprocess.run([formatter, "--version"], capture_output=True, text=True).stdout
    except OSError:
        version = ""
    if " 14." not in version:
        print(f"skipped: needs clang-format 14, which writes as .clang-format was tried; {formatter} is \"{version.strip()}\"")
        return 77
    files = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*"))
             if path.suffix in (".cpp", ".hpp", ".h")]
    told = subprocess.run([formatter, "--dry-run", "-Werror", *files], capture_output=True, text=True, cwd=root)
    faults = sorted({line.split(": ")[0] for line in told.stderr.split("\n") if ": error: " in line})
    faults = [f"{fault}: not as .clang-format says; cure: {formatter} -i FILE" for fault in faults]
    for path in files:
        faults += [f"{path}:{number}: {length} columns, {COLUMNS} at most" for number, length in long_lines(path.read_text())]
    print("\n".join(faults) if faults else f"{len(files)} sources as .clang-format says")
    return 1 if faults or told.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
