#!/usr/bin/env python3
"""Random blocks of every type of GGUF that is read, and what the gguf package (PyPI, 0.19.0) makes of them.

usage: make_gguf_reference.py >gguf_reference.json     bytes and float32 values as little-endian hexadecimal text
"""
import json
import numpy as np
from gguf import GGMLQuantizationType, GGML_QUANT_SIZES, dequantize

# type -> where its half-precision scales and minima stand, and how many numbers to write
TYPES = {"F32": ([], 64), "F16": (range(0, 2, 2), 64), "BF16": ([], 64), "Q8_0": ([0], 128), "Q4_0": ([0], 128), "Q4_1": ([0, 2], 128),
         "Q5_0": ([0], 128), "Q5_1": ([0, 2], 128), "Q4_K": ([0, 2], 512), "Q6_K": ([208], 512)}


def finite_half(random):
    while (bits := int(random.integers(1 << 16))) >> 10 & 31 == 31:
        pass
    return np.frombuffer(bits.to_bytes(2, "little"), np.uint8)


def finite_wide(random, kind):
    """Random float32 or bfloat16 with an exponent that means a number."""
    bits = random.integers(1 << 32, dtype=np.uint32) & np.uint32(0xBFFFFFFF)
    return np.frombuffer(int(bits).to_bytes(4, "little"), np.uint8)[0 if kind == "F32" else 2:]


def blocks_of(kind, random):
    places, count = TYPES[kind]
    numbers, size = GGML_QUANT_SIZES[GGMLQuantizationType[kind]]
    blocks = random.integers(256, size=(count // numbers, size), dtype=np.uint8)
    for block in blocks:
        for at in places:
            block[at:at + 2] = finite_half(random)
        if kind in ("F32", "BF16"):
            block[:] = finite_wide(random, kind)
    return blocks.reshape(1, -1)


def main():
    random = np.random.default_rng(18)
    reference = {}
    for kind in TYPES:
        blocks = blocks_of(kind, random)
        typed = blocks.view({"F32": np.float32, "F16": np.float16}.get(kind, np.uint8))
        values = dequantize(typed, GGMLQuantizationType[kind]).astype(np.float32)
        assert np.isfinite(values).all()
        reference[kind] = {"bytes": blocks.tobytes().hex(), "values": values.tobytes().hex()}
    print(json.dumps(reference, indent=1))


main()
