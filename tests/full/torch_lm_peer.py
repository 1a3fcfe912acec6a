"""Compares policy.torch-lm with the libraries whose formats it speaks.

usage: torch_lm_peer.py PEER_PROGRAM SOURCE_FOLDER
  tokenizers (Hugging Face): equal ids on random Unicode, on this tree's code and on its suites, for the pre-tokenizers of GPT-2, Llama 3,
      Qwen, SmolLM and the tiny model; equal vocabularies from equal corpora; our tokenizer.json loads there
  safetensors, numpy: a folder that we saved, run through a Llama written down in numpy, gives our log-probabilities
"""
import glob, json, os, random, subprocess, sys, tempfile, venv

PACKAGES = ["tokenizers==0.23.3", "numpy==2.4.6", "safetensors==0.8.0"]
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
QWEN = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
LLAMA3 = QWEN.replace(r"\p{N}|", r"\p{N}{1,3}|")
STATEMENT = r"[^;{}(\n]*[;{}(\n]\n?|[^;{}(\n]+"


def in_environment():
    """Runs this script again in a virtual environment that has the packages; 77 (skipped) where they cannot be fetched."""
    folder = os.path.join(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "hone", "torch-lm-peer")
    python = os.path.join(folder, "bin", "python")
    if not os.path.exists(python):
        venv.create(folder, with_pip=True)
    if subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES]).returncode:
        print("the peer packages cannot be installed; skipped")
        sys.exit(77)
    sys.exit(subprocess.run([python, __file__, *sys.argv[1:], "--inside"]).returncode)


class Peer:
    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def random_text(rng):
    blocks = [(32, 126)] * 3 + [(0x80, 0x24F), (0x370, 0x5FF), (0x900, 0x97F), (0x2000, 0x20CF), (0x4E00, 0x4FFF), (0x1F300, 0x1F64F), (0x300, 0x36F)]
    pick = lambda: chr(rng.randint(*rng.choice(blocks))) if rng.random() < 0.8 else rng.choice("\n\r\t  \u00a0\u0085\u3000'sS123;{}()")
    return "".join(pick() for _ in range(rng.randint(0, 60)))


def corpus(source, rng):
    files = [f for pattern in ("engine/**/*.[ch]pp", "scripts/**/*.lua", "policies/**/*.cpp") for f in glob.glob(os.path.join(source, pattern), recursive=True)]
    texts = [open(f, encoding="utf-8").read() for f in sorted(files)]
    return texts, texts + [random_text(rng) for _ in range(3000)]


def trained(tokenizers, kind, texts):
    from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers as pre, trainers
    split = lambda regex: pre.Sequence([pre.Split(Regex(regex), "isolated"), pre.ByteLevel(add_prefix_space=False, use_regex=False)])
    kinds = {"gpt2": pre.ByteLevel(add_prefix_space=False), "gpt2-prefix": pre.ByteLevel(add_prefix_space=True), "gpt2-split": split(GPT2), "llama3": split(LLAMA3),
             "qwen": split(QWEN), "smollm": pre.Sequence([pre.Digits(individual_digits=True), pre.ByteLevel(add_prefix_space=False)]), "statement": split(STATEMENT)}
    tokenizer = tokenizers.Tokenizer(models.BPE(ignore_merges=kind == "llama3"))
    tokenizer.pre_tokenizer = kinds[kind]
    tokenizer.decoder = decoders.ByteLevel()
    if kind == "qwen":
        tokenizer.normalizer = normalizers.NFC()
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=3000, special_tokens=["<|end|>", "<|im_start|>"], show_progress=False,
                                                             initial_alphabet=pre.ByteLevel.alphabet()))
    return tokenizer


def compare_ids(peer, path, tokenizer, texts, what):
    ours = peer.ask(tokenizer=path, texts=texts, specials=True)
    wrong = [(t, a, b.ids) for t, a, b in zip(texts, ours, tokenizer.encode_batch(texts)) if a != b.ids]
    print(f"{what}: {len(texts)} texts, {sum(map(len, ours))} tokens, {len(wrong)} differ")
    for text, a, b in wrong[:3]:
        print("  ", repr(text[:200]), a[:40], b[:40])
    return len(wrong)


def check_tokenizers(peer, source):
    import tokenizers
    rng = random.Random(1)
    code, texts = corpus(source, rng)
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tokenizer.json")
        for kind in ("gpt2", "gpt2-prefix", "gpt2-split", "llama3", "qwen", "smollm", "statement"):
            tokenizer = trained(tokenizers, kind, code)
            tokenizer.save(path)
            faults += compare_ids(peer, path, tokenizer, texts + ["a<|end|>b <|im_start|>"], kind)
        open(path, "w").write(peer.ask(train=code, size=1500))
        tokenizer = tokenizers.Tokenizer.from_file(path)
        faults += compare_ids(peer, path, tokenizer, texts, "our own file")
    return faults + check_training(peer, tokenizers, code)


def check_training(peer, tokenizers, texts):
    from tokenizers import Regex, models, pre_tokenizers as pre, trainers
    ours = json.loads(peer.ask(train=texts, size=1500))["model"]
    special = [token for token in sorted(ours["vocab"], key=ours["vocab"].get)[:20]]
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre.Sequence([pre.Split(Regex(STATEMENT), "isolated"), pre.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=1500, special_tokens=special, min_frequency=2, show_progress=False,
                                                             initial_alphabet=pre.ByteLevel.alphabet()))
    same = ours["vocab"] == tokenizer.get_vocab()
    print("vocabulary of 1500 tokens trained on the same corpus:", "equal" if same else "differs")
    return not same


def llama(np, config, weights, ids):
    """Log-probabilities of ids[1:], in float64, as the Llama papers and the Hugging Face layout of the weights say."""
    w = {name: tensor.astype(np.float64) for name, tensor in weights.items()}
    heads, kv_heads, width = config["num_attention_heads"], config["num_key_value_heads"], config["head_dim"]
    norm = lambda x, scale: x / np.sqrt((x * x).mean(-1, keepdims=True) + config["rms_norm_eps"]) * scale
    n = len(ids)
    angle = np.arange(n)[:, None] * config["rope_theta"] ** (-np.arange(0, width, 2) / width)[None]
    cos, sin = np.tile(np.cos(angle), 2)[:, None], np.tile(np.sin(angle), 2)[:, None]
    half = lambda x: np.concatenate([-x[..., width // 2:], x[..., :width // 2]], -1)
    turn = lambda x: x * cos + half(x) * sin
    x = w["model.embed_tokens.weight"][ids]
    for layer in range(config["num_hidden_layers"]):
        at = lambda name: w[f"model.layers.{layer}.{name}.weight"]
        y = norm(x, at("input_layernorm"))
        q = turn((y @ at("self_attn.q_proj").T).reshape(n, heads, width))
        k = turn((y @ at("self_attn.k_proj").T).reshape(n, kv_heads, width)).repeat(heads // kv_heads, 1)
        v = (y @ at("self_attn.v_proj").T).reshape(n, kv_heads, width).repeat(heads // kv_heads, 1)
        s = np.einsum("ihc,jhc->hij", q, k) / np.sqrt(width) + np.triu(np.full((n, n), -np.inf), 1)
        p = np.exp(s - s.max(-1, keepdims=True))
        x = x + np.einsum("hij,jhc->ihc", p / p.sum(-1, keepdims=True), v).reshape(n, -1) @ at("self_attn.o_proj").T
        y = norm(x, at("post_attention_layernorm"))
        gate = y @ at("mlp.gate_proj").T
        x = x + (gate / (1 + np.exp(-gate)) * (y @ at("mlp.up_proj").T)) @ at("mlp.down_proj").T
    logits = norm(x, w["model.norm.weight"]) @ w["lm_head.weight"].T
    logp = logits - logits.max(-1, keepdims=True)
    logp -= np.log(np.exp(logp).sum(-1, keepdims=True))
    return logp[np.arange(n - 1), ids[1:]]


def check_model(peer):
    import numpy as np
    from safetensors.numpy import load_file
    with tempfile.TemporaryDirectory() as folder:
        peer.ask(random=folder, seed=3)
        config = json.load(open(os.path.join(folder, "config.json")))
        ids = [random.Random(5).randrange(300) for _ in range(90)]
        ours = np.array(peer.ask(model=folder, ids=ids))[1:]
        difference = np.abs(ours - llama(np, config, load_file(os.path.join(folder, "model.safetensors")), ids)).max()
    print(f"model against numpy: largest difference of a log-probability {difference:.1e}")
    return difference > 1e-3


def main():
    if "--inside" not in sys.argv:
        in_environment()
    peer = Peer(sys.argv[1])
    faults = check_tokenizers(peer, sys.argv[2]) + check_model(peer)
    sys.exit(1 if faults else 0)


main()
