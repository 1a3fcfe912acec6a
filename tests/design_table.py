#!/usr/bin/env python3
"""The table of DESIGN 2 that says where a change goes: each file that DESIGN.md names exists, and holds the names that its row gives.

usage: tests/design_table.py ROOT       prints what is not there; exit status 1 if there is something
"""
import pathlib
import re
import sys

BEGIN, END = "### Where does a line go?", "### What each room costs"
FILE = re.compile(r"[\w.-]+(/[\w.-]+)*/?$")
STANDS_FOR_OTHERS = re.compile(r"NAME|SUITE|ROOM|\.\.\.|^hone[./]")  # of a kind of files; of the SDK; a schema
NAME = re.compile(r"(\w+::)?([A-Za-z_][\w.]*)\*?$")


def is_path(word):
    return FILE.match(word) and "/" in word and not STANDS_FOR_OTHERS.search(word)


def ticked(text):
    return re.findall(r"`([^`]+)`", text)


def text_of(paths):
    return "\n".join(path.read_text() for path in paths if path.is_file())


def missing_names(place, cell):
    """Names of the last cell that no file of the row (nor, of a source, its header) holds."""
    files = {sister for path in place for sister in (path, path.with_suffix(".hpp"))}
    text = text_of(files)
    for word in ticked(cell) if text else []:
        name = NAME.match(word)
        if name and not is_path(word) and name.group(2).rstrip(".") not in text:
            yield word


def faults(root):
    inside = False
    for number, line in enumerate((root / "DESIGN.md").read_text().split("\n"), 1):
        inside = line == BEGIN or inside and line != END
        for word in ticked(line):
            if is_path(word) and (inside or "." in word.rsplit("/", 1)[-1]) and not (root / word).exists():
                yield f"DESIGN.md:{number}: there is no {word}"
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if not inside or len(cells) < 2 or cells[-2] == "then":
            continue
        place = [root / word for word in ticked(cells[-2]) if is_path(word)]
        for word in missing_names(place, cells[-1].split("; then")[0]):
            yield f"DESIGN.md:{number}: {cells[-2]} does not hold {word}"


def main():
    found = [*faults(pathlib.Path(sys.argv[1]))]
    print("\n".join(found) if found else "DESIGN.md names files that exist, and names that they hold")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
