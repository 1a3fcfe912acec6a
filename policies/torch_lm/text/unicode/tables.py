"""Writes tables.cpp: what the tokenizers library's Unicode data say otherwise than PCRE2's and utf8proc's.

usage: python3.11 tables.py NEW TABLES_CPP
  NEW: a folder with unicodedata2 17 (PyPI). Python 3.11's own data are of Unicode 14, as those of the oldest PCRE2 that hone meets.
"""
import glob, importlib.util, sys, unicodedata


def unicode_data(folder):
    path = glob.glob(folder + "/unicodedata2*.so")[0]
    spec = importlib.util.spec_from_file_location("unicodedata2", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


POINTS = [c for c in range(0x80, 0x110000) if not 0xD800 <= c < 0xE000]
width = lambda c: len(chr(c).encode())


def known(regex):
    """The code points of a class, as the library's regular expressions know it."""
    from tokenizers import Regex, normalizers
    return set(map(ord, normalizers.Replace(Regex(f"[^{regex}]"), "").normalize_str("".join(map(chr, POINTS)))))


def stand_ins(old):
    """(character, an older one of its category and width) for each one that only the library knows: the nearest, for ranges in patterns."""
    alike, pairs = {}, [(0x180E, 0x200B)]  # PCRE2 takes U+180E for a space
    for c in POINTS:
        alike.setdefault((old.category(chr(c)), width(c)), []).append(c)
    for category in "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Cf".split():
        new = [c for c in known(rf"\p{{{category}}}") if old.category(chr(c)) == "Cn"]
        ideographs = {c for c in new if 0x20000 <= c < 0x40000}  # of the script Han, which patterns name too
        by = None
        for c in sorted(new):  # one stand-in for a run
            if c - 1 not in new:
                by = min(alike[category, width(c)], key=lambda older: abs(older - c))
            pairs.append((c, 0x20000 if c in ideographs else by))
    return sorted(pairs)


def late_marks(new):
    """What the library, being of an older Unicode, does not reorder or compose though newer ones do."""
    from tokenizers import normalizers
    nfc = normalizers.NFC().normalize_str
    mirror = {c: new.combining(chr(c)) for c in POINTS if new.combining(chr(c))}
    late = {c for c in mirror if nfc("x\u0345" + chr(c)) != new.normalize("NFC", "x\u0345" + chr(c))
            or nfc("x" + chr(c) + "\u0334") != new.normalize("NFC", "x" + chr(c) + "\u0334")}
    for c in POINTS:
        parts = new.decomposition(chr(c)).split()
        if len(parts) != 2 or "<" in parts[0]:
            continue
        left, right = (chr(int(part, 16)) for part in parts)
        if nfc(left + right) != new.normalize("NFC", left + right):  # whichever of the two is the younger
            late.add(ord(right if unicodedata.ucd_3_2_0.category(right) == "Cn" else left))
    return [(c, 0) for c in sorted(late)]


def ranges(pairs):
    runs = []
    for c, value in pairs:
        if runs and runs[-1][1] == c - 1 and runs[-1][2] == value:
            runs[-1][1] = c
        else:
            runs.append([c, c, value])
    return runs


def table(name, kind, entries):
    return f"constexpr {kind} {name}[] = {{\n" + ", ".join(entries) + "};\n"


def main(new_folder, path):
    old, new = unicodedata, unicode_data(new_folder)
    assert old.unidata_version == "14.0.0", "run this with Python 3.11"
    stands, late = ranges(stand_ins(old)), ranges(late_marks(new))
    print(len(stands), "ranges with a stand-in,", len(late), "of late marks")
    with open(path, "w") as out:
        out.write(f"// Written by tables.py from Unicode {old.unidata_version}, {new.unidata_version} and the tokenizers library.\n"
                  "#include \"torch_lm/text/unicode/tables.hpp\"\n#include <algorithm>\n#include <iterator>\n\nnamespace hone::lm {\nnamespace {\n\n")
        out.write(table("stand_ins", "StandIn", ["{0x%x, 0x%x, 0x%x}" % tuple(run) for run in stands]))
        out.write(table("late_marks", "Range", ["{0x%x, 0x%x}" % tuple(run[:2]) for run in late]))
        out.write("""
template <class Run, std::size_t n> const Run* run_of(const Run (&runs)[n], char32_t c) {
    const Run* found = std::upper_bound(runs, runs + n, c, [](char32_t at, const Run& run) { return at < run.first; });
    return found != runs && c <= found[-1].last ? found - 1 : nullptr;
}

}  // namespace

char32_t stand_in(char32_t c) {
    const StandIn* found = run_of(stand_ins, c);
    return found ? found->by : c;
}

bool is_late_mark(char32_t c) { return run_of(late_marks, c) != nullptr; }

}  // namespace hone::lm
""")


main(*sys.argv[1:])
