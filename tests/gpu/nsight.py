"""Does the judge's time agree with Nsight Compute's? Kernels of gpu-basics with one thread an element, judged by hone and profiled by ncu, clocks left
alone, caches flushed by a write of 120 MiB before each launch in both. usage: nsight.py HONE [TASK...]; exit status: those that differ by more than 3 %.
(Run with --launch FOLDER it is what ncu profiles.)"""
import csv
import ctypes
import io
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(os.environ.get("HONE_SCRIPT_PATH", os.path.join(HERE, "..", "..", "scripts")), "kernels", "gpu-basics")
TASKS = ["gelu", "mul_relu_add", "axpy", "conv3x3", "transpose", "matvec", "matmul"]
LAUNCHES, LEFT_OUT, BLOCK, FLUSH_BYTES, MOST = 24, 4, 256, 120 << 20, 0.03


def checked(result, call):
    if result:
        raise RuntimeError(f"{call}: error {result}")


def cubin_of(source):
    nvrtc = ctypes.CDLL("libnvrtc.so.13")
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    options = [b"--gpu-architecture=sm_90a", b"--std=c++17"]
    checked(nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"k.cu", 0, None, None), "nvrtcCreateProgram")
    checked(nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options)), "nvrtcCompileProgram")
    checked(nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size)), "nvrtcGetCUBINSize")
    cubin = ctypes.create_string_buffer(size.value)
    checked(nvrtc.nvrtcGetCUBIN(program, cubin), "nvrtcGetCUBIN")
    return cubin


def launch(task, torch, driver, flush):
    dtypes = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}

    def tensor(spec):
        shape = [eval(str(length), {}, task["shape"]) for length in spec["shape"]]  # such as 3, "N" or "H+2"
        return torch.randn(shape, dtype=dtypes[spec["dtype"]], device="cuda")

    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    checked(driver.cuModuleLoadData(ctypes.byref(module), cubin_of(open(os.path.join(KERNELS, task["name"] + ".plain.cu")).read())), "cuModuleLoadData")
    checked(driver.cuModuleGetFunction(ctypes.byref(function), module, b"k"), "cuModuleGetFunction")
    tensors = [tensor(spec) for spec in task["inputs"] + task["outputs"]]
    values = [ctypes.c_uint64(t.data_ptr()) for t in tensors] + [ctypes.c_int64(task["shape"][s]) for s in task["sizes"]]
    pointers = (ctypes.c_void_p * len(values))(*[ctypes.cast(ctypes.byref(v), ctypes.c_void_p) for v in values])
    blocks = (tensors[len(task["inputs"])].numel() + BLOCK - 1) // BLOCK
    for _ in range(LAUNCHES):
        flush.zero_()
        torch.cuda.synchronize()
        checked(driver.cuLaunchKernel(function, blocks, 1, 1, BLOCK, 1, 1, 0, None, pointers, None), "cuLaunchKernel")
        torch.cuda.synchronize()


def launch_all(folder):
    import torch
    flush = torch.empty(FLUSH_BYTES, dtype=torch.uint8, device="cuda")
    driver = ctypes.CDLL("libcuda.so.1")
    for task in json.load(open(os.path.join(folder, "tasks.json"))):
        launch(task, torch, driver, flush)


def profiled(folder, n):
    """Seconds of each kernel by ncu, middle of its launches."""
    command = ["ncu", "--clock-control", "none", "--cache-control", "none", "--kernel-name", "k", "--metrics", "gpu__time_duration.sum", "--csv",
               "--print-units", "base", sys.executable, os.path.abspath(__file__), "--launch", folder]
    done = subprocess.run(command, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
    if done.returncode or not lines:
        sys.exit(f"ncu ended with {done.returncode}: {(done.stdout + done.stderr)[-800:]}")
    times = [float(row["Metric Value"].replace(",", "")) * 1e-9 for row in csv.DictReader(io.StringIO("\n".join(lines)))]
    each = [times[i * LAUNCHES + LEFT_OUT:(i + 1) * LAUNCHES] for i in range(n)]
    return [statistics.median(e) for e in each]


def judged(hone, name):
    done = subprocess.run([hone, "judge", "--suite", "gpu-basics", name, os.path.join(KERNELS, name + ".plain.cu"), "--json", "--quiet", "--set",
                           "judge.pool_mb=16000", "--set", "judge.seconds=1"], capture_output=True, text=True)
    document = json.loads(done.stdout or "{}")
    if not document.get("passed"):
        sys.exit(f"{name}: {document.get('verdict')} {document.get('reason')} {done.stderr[-300:]}")
    return document["seconds"]


def main():
    if sys.argv[1] == "--launch":
        return launch_all(sys.argv[2])
    hone, names, off = sys.argv[1], sys.argv[2:] or TASKS, 0
    tasks = [json.loads(subprocess.run([hone, "tasks", "gpu-basics/" + n, "--json"], capture_output=True, text=True, check=True).stdout)["tasks"][0]
             for n in names]
    with tempfile.TemporaryDirectory() as folder:
        json.dump(tasks, open(os.path.join(folder, "tasks.json"), "w"))
        by_ncu = profiled(folder, len(tasks))
    print(f"{'kernel':16} {'ncu us':>9} {'events us':>9} {'differ':>7} {'probe us':>9}")
    for name, ncu in zip(names, by_ncu):
        seconds = judged(hone, name)
        differ = seconds["candidate"] / ncu - 1
        off += abs(differ) > MOST
        print(f"{name:16} {1e6 * ncu:9.2f} {1e6 * seconds['candidate']:9.2f} {100 * differ:6.1f}% {1e6 * seconds.get('independent', 0):9.2f}")
    return off


if __name__ == "__main__":
    sys.exit(main())
