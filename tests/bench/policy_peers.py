#!/usr/bin/env python3
"""transformers beside policy_bench on the same GPU: seconds of a decode step of `generate`, and tokens learnt a second by a plain loop (forward, backward,
clipping, fused AdamW). Random weights, bfloat16, scaled-dot-product attention.

usage: policy_peers.py SHAPE [answers,...] [learn]        SHAPE: 135m, 1.5b, 8b"""
import sys
import time

import torch
import transformers

SHAPES = {
    "135m": (transformers.LlamaConfig, dict(vocab_size=49152, hidden_size=576, num_hidden_layers=30, num_attention_heads=9, num_key_value_heads=3,
                                            intermediate_size=1536, tie_word_embeddings=True, max_position_embeddings=8192)),
    "1.5b": (transformers.Qwen2Config, dict(vocab_size=151936, hidden_size=1536, num_hidden_layers=28, num_attention_heads=12, num_key_value_heads=2,
                                            intermediate_size=8960, tie_word_embeddings=True, max_position_embeddings=8192)),
    "8b": (transformers.Qwen3Config, dict(vocab_size=151936, hidden_size=4096, num_hidden_layers=36, num_attention_heads=32, num_key_value_heads=8, head_dim=128,
                                          intermediate_size=12288, tie_word_embeddings=False, max_position_embeddings=8192))}
PROMPT, FIRST, LAST = 512, 2, 34


def seconds(body):
    torch.cuda.synchronize()
    begun = time.perf_counter()
    body()
    torch.cuda.synchronize()
    return time.perf_counter() - begun


def decode(model, answers):
    ids = torch.randint(1000, 40000, (answers, PROMPT), device="cuda")

    def generate(length):
        return model.generate(ids, attention_mask=torch.ones_like(ids), min_new_tokens=length, max_new_tokens=length, do_sample=True, pad_token_id=0)

    generate(FIRST)
    step = (seconds(lambda: generate(LAST)) - seconds(lambda: generate(FIRST))) / (LAST - FIRST)
    print(f"{answers:3} answers: {1e3 * step:7.3f} ms a step, {answers / step:8.0f} tokens a second", flush=True)


def learn(model, sequences, length):
    ids = torch.randint(1000, 40000, (sequences, length), device="cuda")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-6, fused=True)

    def step():
        model(input_ids=ids, labels=ids, use_cache=False).loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    step()
    best = min(seconds(step) for _ in range(3))
    config, weights = model.config, sum(p.numel() for p in model.parameters())
    width = config.num_attention_heads * getattr(config, "head_dim", config.hidden_size // config.num_attention_heads)
    flops = ids.numel() * (6 * weights + 6 * config.num_hidden_layers * width * length)
    print(f"learning, {sequences} x {length}: {1e3 * best:.1f} ms a step, {ids.numel() / best:.0f} tokens a second, MFU {100 * flops / best / 989e12:.1f} %, "
          f"{torch.cuda.max_memory_allocated() / 1e9:.1f} GB")


def main():
    shape = sys.argv[1]
    kind, values = SHAPES[shape]
    print(f"transformers {transformers.__version__}, {shape} on {torch.cuda.get_device_name()}")
    with torch.device("cuda"):
        model = transformers.AutoModelForCausalLM.from_config(kind(**values), dtype=torch.bfloat16, attn_implementation="sdpa")
    with torch.inference_mode():
        for answers in (sys.argv[2] if len(sys.argv) > 2 else "1,16,64").split(","):
            decode(model, int(answers))
    print(f"memory of sampling {torch.cuda.max_memory_allocated() / 1e9:.1f} GB")
    if "learn" in sys.argv[3:]:
        sequences = 16 if shape == "135m" else 8
        while sequences:
            try:
                learn(model.train(), sequences, 2048)
                break
            except torch.OutOfMemoryError:
                print(f"learning, {sequences} x 2048: no room", flush=True)
            sequences //= 2
            model.zero_grad(set_to_none=True)
            torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
