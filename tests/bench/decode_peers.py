"""Decoding one answer by llama.cpp on the same cores: beside decode_bench.

usage: decode_peers.py MODEL.gguf [threads]     in a Python that has llama-cpp-python, numpy and gguf
  Writes the model's weights as F32 and as BF16 into a temporary folder first, since a quantised file is another amount of bytes.
"""
import os, sys, tempfile, time
import gguf, llama_cpp, numpy

TYPES = {"F32": gguf.GGMLQuantizationType.F32, "BF16": gguf.GGMLQuantizationType.BF16}


def rewrite(reader, path, name):
    writer = gguf.GGUFWriter(path, "llama")
    for key, field in reader.fields.items():
        kind = field.types[0]
        if key.startswith("GGUF.") or key in ("general.architecture", "general.file_type"):
            continue
        values = [bytes(field.parts[i]).decode() if field.types[-1] == gguf.GGUFValueType.STRING else field.parts[i][0].item() for i in field.data]
        if kind == gguf.GGUFValueType.ARRAY:
            writer.add_array(key, values)
        else:
            writer.add_key_value(key, values[0], kind)
    for tensor in reader.tensors:
        values = gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(numpy.float32)
        if name == "BF16" and values.ndim > 1:
            writer.add_tensor(tensor.name, gguf.quants.quantize(values, TYPES[name]), raw_dtype=TYPES[name])
        else:
            writer.add_tensor(tensor.name, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def step(path, threads, tokens=64):
    model = llama_cpp.Llama(path, n_ctx=512, n_threads=threads, n_threads_batch=threads, verbose=False)
    best = float("inf")
    for _ in range(4):
        model.reset()
        model.eval([7] * 32)
        begun = time.time()
        for _ in range(tokens):
            model.eval([123])
        best = min(best, (time.time() - begun) / tokens)
    return best


def main():
    threads = int(sys.argv[2]) if len(sys.argv) > 2 else len(os.sched_getaffinity(0))
    reader = gguf.GGUFReader(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        for name in TYPES:
            path = os.path.join(folder, name + ".gguf")
            rewrite(reader, path, name)
            seconds = step(path, threads)
            print(f"llama.cpp, {name}, {threads} threads: {1e3 * seconds:.1f} ms a step, {1 / seconds:.1f} tokens a second")


main()
