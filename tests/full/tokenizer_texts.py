"""Texts on which tokenizers differ if they differ at all: the same for the same seed."""
import random

BLOCKS = [(0x20, 0x7E)] * 4 + [(0x80, 0x24F), (0x250, 0x2FF), (0x300, 0x36F), (0x370, 0x5FF), (0x600, 0x8FF), (0x900, 0xDFF), (0xE00, 0x10FF),
          (0x1100, 0x11FF), (0x1200, 0x1FFF), (0x2000, 0x20CF), (0x2100, 0x2BFF), (0x3000, 0x30FF), (0x4E00, 0x9FFF), (0xA000, 0xABFF),
          (0xAC00, 0xD7AF), (0xD7B0, 0xD7FF), (0xE000, 0xE0FF), (0xF900, 0xFAFF), (0xFB00, 0xFFFD), (0x10000, 0x1FFFF), (0x1F300, 0x1FAFF),
          (0x20000, 0x323AF), (0xE0000, 0xE01EF), (0xF0000, 0x10FFFF)]
SPACES = [chr(c) for c in (9, 10, 11, 12, 13, 0x1C, 0x1F, 32, 0x85, 0xA0, 0x1680, 0x180E, *range(0x2000, 0x2010), 0x2028, 0x2029, 0x202F, 0x205F, 0x2060, 0x3000, 0xFEFF)]
MARKS = [chr(c) for c in (0x300, 0x301, 0x308, 0x323, 0x327, 0x334, 0x345, 0x5B0, 0x64B, 0x898, 0x93C, 0xDCA, 0x11357, 0x1161, 0x11A8, 0x3099, 0x1D165, 0x1E4EC)]
EMOJI = ["\U0001F468\u200D\U0001F469\u200D\U0001F467\u200D\U0001F466", "\U0001F44D\U0001F3FD", "\U0001F1E9\U0001F1EA", "\u2764\uFE0F", "1\uFE0F\u20E3", "\U0001F3F4\U000E0067\U000E0062\U000E007F"]
WORDS = ["don't", "WE'LL", "'\u017f", "it's", "I'M", "caf\u00e9", "cafe\u0301", "\ufb01n", "12345678", "3.14e-10", "0x1F", "\u0661\u0662\u0663", "\u00bd\u00b2", "\u2581", "\u2581\u2581a", "\u0120", "<0x41>", "<0xE2>",
         "\u4f60\u597d\u4e16\u754c", "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35", "\u1100\u1161\u11a8", "\ufffd", "\ufffe", "\x00", "\x7f", "\r\n", "\n\n\n", "    ", "\t\t", "//", "==", "->", "();", "{\n", "https://a.b/c?d=e&f"]
# of Unicode 15 to 17, or seen otherwise by some library: letters, digits, marks, symbols, ideographs, a former space
YOUNG = ["a\U000105C0b", "\u1C89\uA7CB it", "\U0001E4D0\U0001E030 x", "\U00010D40\U00010D4112", "\U00011DE0\U00011DE9 7", "\U00016FF4a1", "x\u180Ey \u180E\u180E z",
         "(\U00011B00\U00011B01)", "a\u0897\u0301", "\U0002EBF0\u4E2D\U000323AF", " \U0001CC00\u2427 ", "\U000105D2\u0307", "\U000113C2\U000113C2", "\U00011935\U00011930"]
# beside an added token that must stand alone; not trained on, for the token is no other's
NEIGHBOURS = ["\U00010D40odd", "odd\U000113C2", "\U00011DE0odd", "odd\U00011B00", "odd\u0301"]


def character(rng):
    while True:
        c = rng.randint(*rng.choice(BLOCKS))
        if not 0xD800 <= c < 0xE000:
            return chr(c)


def part(rng, specials, code):
    kind = rng.random()
    if kind < 0.35: return character(rng)
    if kind < 0.50: return rng.choice(SPACES) * rng.choice((1, 1, 1, 2, 3, 7))
    if kind < 0.58: return rng.choice("aeionAyg\u05d0\u0915\u30ab") + "".join(rng.choices(MARKS, k=rng.randint(1, 4)))
    if kind < 0.70: return rng.choice(WORDS + YOUNG + NEIGHBOURS)
    if kind < 0.76: return str(rng.randint(0, 10 ** rng.randint(1, 12)))
    if kind < 0.80: return rng.choice(EMOJI)
    if kind < 0.88:
        special = rng.choice(specials)
        return special if rng.random() < 0.7 else special[:rng.randint(0, len(special))] + rng.choice(("", " ", "|", ">"))
    begin = rng.randrange(len(code))
    return code[begin:begin + rng.randint(1, 40)]


def mixed(count, seed, specials, code):
    rng = random.Random(seed)
    return ["".join(part(rng, specials, code) for _ in range(rng.randint(0, 12))) for _ in range(count)]


def every_character(width=24):
    """Each character of Unicode once among letters, digits and spaces."""
    points = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
    return ["a" + "".join(f"{chr(c)}{' b1 '[c % 4]}" for c in points[i:i + width]) for i in range(0, len(points), width)]


def every_composition(width=24):
    """Each character that may combine with others, between marks that go before it, after it, or into a letter with it."""
    points = [c for c in range(0x300, 0x1F000) if not (0x3400 <= c < 0xA000 or 0xAC00 <= c < 0xE100 or 0x12000 <= c < 0x16100 or 0x17000 <= c < 0x1B000)]
    return ["".join(f"M\u0307x\u0345{chr(c)}\u0334\u0307 " for c in points[i:i + width]) for i in range(0, len(points), width)]
