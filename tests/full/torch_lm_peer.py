"""Compares policy.torch-lm with the libraries whose formats it speaks.

usage: torch_lm_peer.py PEER_PROGRAM SOURCE_FOLDER
  tokenizers (Hugging Face): equal vocabularies from equal corpora; our tokenizer.json loads there and gives equal ids (other files:
      tokenizer_exact.py)
  safetensors, numpy: a folder that we saved, run through a Llama written down in numpy, gives our log-probabilities
"""
import glob, json, os, random, sys, tempfile
import environment, tokenizer_texts

PACKAGES = ["tokenizers==0.23.3", "numpy==2.4.6", "safetensors==0.8.0"]
STATEMENT = r"[^;{}(\n]*[;{}(\n]\n?|[^;{}(\n]+"


def corpus(source):
    files = [f for pattern in ("engine/**/*.[ch]pp", "scripts/**/*.lua", "policies/**/*.cpp") for f in glob.glob(os.path.join(source, pattern), recursive=True)]
    texts = [open(f, encoding="utf-8").read() for f in sorted(files)]
    return texts, texts + tokenizer_texts.mixed(3000, 1, ["<|end|>", "<|task|>"], "".join(texts))


def compare_ids(peer, path, tokenizer, texts, what):
    ours = peer.ask(tokenizer=path, texts=texts, specials=True)
    wrong = [(t, a, b.ids) for t, a, b in zip(texts, ours, tokenizer.encode_batch(texts)) if a != b.ids]
    print(f"{what}: {len(texts)} texts, {sum(map(len, ours))} tokens, {len(wrong)} differ")
    for text, a, b in wrong[:3]:
        print("  ", repr(text[:200]), a[:40], b[:40])
    return len(wrong)


def check_tokenizers(peer, source):
    import tokenizers
    code, texts = corpus(source)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tokenizer.json")
        open(path, "w").write(peer.ask(train=code, size=1500))
        faults = compare_ids(peer, path, tokenizers.Tokenizer.from_file(path), texts, "our own file")
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
        environment.run_inside("torch-lm-peer", PACKAGES, __file__)
    peer = environment.Peer(sys.argv[1])
    faults = check_tokenizers(peer, sys.argv[2]) + check_model(peer)
    sys.exit(1 if faults else 0)


main()
