"""Writes tests/torch_lm/tokenizer_sample.json, on which every build is tested: what the tokenizers library makes of a few hundred texts.

usage: tokenizer_sample.py SOURCE_FOLDER
"""
import json, os, random, sys
import environment, tokenizer_texts as texts, tokenizer_vocabularies as vocabularies

PACKAGES = ["tokenizers==0.23.3"]
TEXTS, SIZE = 200, 480  # of each family; tokens of its vocabulary


def source_texts(source):
    names = ("dev", "README.md", "policies/torch_lm/torch_lm.cpp", "tests/full/tokenizer_texts.py")
    return [open(os.path.join(source, name), encoding="utf-8").read() for name in names]


def digest(ids):
    """FNV-1a, 32 bits: the file says whether ids are right, tokenizer_exact.py which ones they should be."""
    value = 0x811C9DC5
    for id in ids:
        value = (value ^ id) * 0x01000193 % 2**32
    return value


def sample(family, asked, source):
    import tokenizers
    document = vocabularies.trained(family, source, SIZE)
    tokenizer = tokenizers.Tokenizer.from_str(json.dumps(document))
    encode = lambda: [digest(e.ids) for e in tokenizer.encode_batch(asked, add_special_tokens=False)]
    content = {"tokenizer": document, "prefix": tokenizer.encode("", add_special_tokens=True).ids, "ids": encode()}
    tokenizer.encode_special_tokens = True
    rng = random.Random(1)
    rows = [rng.choices(range(tokenizer.get_vocab_size()), k=8) for _ in range(60)]
    return content | {"ids of plain text": encode(), "decoded": [[row, tokenizer.decode(row)] for row in rows]}


def main(folder):
    if "--inside" not in sys.argv:
        environment.run_inside("tokenizer-sample", PACKAGES, __file__)
    source = source_texts(folder)
    asked = texts.mixed(TEXTS, 11, ["<|im_end|>", "<s>", "<odd>", " odd ", "odd", "<|odd|>b", "Norm", "caf\u00e9", "cafe\u0301", "a <s> b"], "".join(source))
    asked += texts.YOUNG + texts.NEIGHBOURS + texts.every_composition()[::160] + texts.every_character()[::4000]
    families = {family: sample(family, asked, source) for family in (*vocabularies.BYTE_LEVEL, *vocabularies.CHARACTERS)}
    rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(content, separators=(',', ':'), ensure_ascii=False)}" for name, content in families.items())
    with open(os.path.join(folder, "tests/torch_lm/tokenizer_sample.json"), "w", encoding="utf-8") as out:
        out.write(f'{{"texts": {json.dumps(asked)},\n"families": {{\n{rows}\n}}}}\n')


main(sys.argv[1])
