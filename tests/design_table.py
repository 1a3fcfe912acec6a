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


def text_of(path):
    return path.read_text() if path.is_file() else ""


def names_in(text):
    for word in ticked(text):
        name = NAME.match(word)
        if name and not is_path(word):
            yield word, name.group(2).rstrip(".")


def holds(text, name):
    return re.search(rf"\b{re.escape(name)}\b", text)


def missing_names(root, place, told):
    """Names that no file holds, of a row or of what follows it; of several files of a row, those that hold none of the names."""
    texts = {word: text_of(root / word) for word in place + [word for word in ticked(told) if is_path(word)]}
    names = [*names_in(told)]
    for word, name in names:
        if not any(holds(text, name) for text in texts.values()):
            yield f"{word} stands in no file of its row"
    for word in place if len(place) > 1 and names else []:
        if texts[word] and not any(holds(texts[word], name) for _, name in names):
            yield f"{word} holds no name of its row"


def faults_of_row(root, cells):
    told, *follows = re.split(r"; then\b", cells[-1])  # what follows names files of its own
    place = [word for word in ticked(cells[-2]) if is_path(word)]
    if cells[-2] == "then":
        follows.append(told)
    elif any((root / word).is_file() for word in place):
        yield from missing_names(root, place, told)
    for text in follows:
        yield from missing_names(root, [], text)


def faults(root):
    inside = False
    for number, line in enumerate((root / "DESIGN.md").read_text().split("\n"), 1):
        inside = line == BEGIN or inside and line != END
        for word in ticked(line):
            if is_path(word) and (inside or "." in word.rsplit("/", 1)[-1]) and not (root / word).exists():
                yield f"DESIGN.md:{number}: there is no {word}"
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if inside and len(cells) > 1:
            yield from (f"DESIGN.md:{number}: {fault}" for fault in faults_of_row(root, cells))


def main():
    found = [*faults(pathlib.Path(sys.argv[1]))]
    print("\n".join(found) if found else "DESIGN.md names files that exist, and names that they hold")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
