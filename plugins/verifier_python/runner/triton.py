# Triton's kernels in a process that writes no file and starts no program: kept in memory, assembled by the driver, launched by ctypes in
# place of what Triton has a C compiler make.
import struct

PTX, REGISTERS, LOCAL_BYTES, MOST_THREADS, SHARED_BYTES, MOST_DYNAMIC, MOST_SHARED = 1, 4, 3, 0, 1, 8, 97  # of cuda.h
LAUNCHED_PLAINLY = 49152  # bytes of shared memory that a kernel has without asking
PACKED = {"i1": "b", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "u1": "B", "u8": "B", "u16": "H", "u32": "I", "u64": "Q",
          "fp16": "e", "fp32": "f", "f32": "f", "fp64": "d"}


def packed(kind, value):
    """An argument as eight bytes."""
    if kind.startswith("*"):
        return struct.pack("Q", value if isinstance(value, int) else 0 if value is None else value.data_ptr())
    if kind == "bf16":
        return struct.pack("f", value)[2:].ljust(8, b"\0")
    return struct.pack(PACKED[kind], value).ljust(8, b"\0")


class Driver:
    """The functions of libcuda that a kernel takes."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")

    def __call__(self, name, *arguments):
        if error := getattr(self.library, name)(*arguments):
            raise RuntimeError(f"{name}: CUDA error {error}")

    def number(self, name, *arguments):
        answer = ctypes.c_int()
        self(name, ctypes.byref(answer), *arguments)
        return answer.value

    def cubin(self, ptx):
        state, image, size = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t()
        text = ptx.encode() + b"\0"
        self("cuLinkCreate_v2", 0, None, None, ctypes.byref(state))
        try:
            self("cuLinkAddData_v2", state, PTX, text, ctypes.c_size_t(len(text)), b"kernel", 0, None, None)
            self("cuLinkComplete", state, ctypes.byref(image), ctypes.byref(size))
            return ctypes.string_at(image, size.value)
        finally:
            self("cuLinkDestroy", state)


class Utilities:
    """In place of triton.backends.nvidia.driver.CudaUtils."""

    def __init__(self):
        self.driver = Driver()

    def load_binary(self, name, image, shared, device):
        module, function, driver = ctypes.c_void_p(), ctypes.c_void_p(), self.driver
        driver("cuModuleLoadData", ctypes.byref(module), image)
        driver("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        if shared > LAUNCHED_PLAINLY:
            own = driver.number("cuFuncGetAttribute", SHARED_BYTES, function)
            driver("cuFuncSetAttribute", function, MOST_DYNAMIC, driver.number("cuDeviceGetAttribute", MOST_SHARED, device) - own)
        registers, local, threads = (driver.number("cuFuncGetAttribute", which, function) for which in (REGISTERS, LOCAL_BYTES, MOST_THREADS))
        return module.value, function.value, registers, local // 4, threads

    def get_device_properties(self, device):
        numbers = {"max_shared_mem": 97, "max_num_regs": 12, "multiprocessor_count": 16, "warpSize": 10, "sm_clock_rate": 13, "mem_clock_rate": 36,
                   "mem_bus_width": 37}
        return {name: self.driver.number("cuDeviceGetAttribute", which, device) for name, which in numbers.items()}


class Launcher:
    """In place of triton.backends.nvidia.driver.CudaLauncher."""

    def __init__(self, src, metadata):
        kinds = list(src.signature.values())
        self.kinds = [(place, kind) for place, kind in enumerate(kinds) if kind != "constexpr"]
        for _, kind in self.kinds:
            if not isinstance(kind, str) or not (kind.startswith("*") or kind == "bf16" or kind in PACKED):
                raise RuntimeError(f"hone launches no Triton kernel with an argument of the kind {kind}")
        if getattr(metadata, "num_ctas", 1) != 1 or metadata.launch_cooperative_grid or metadata.launch_pdl:
            raise RuntimeError("hone launches Triton's kernels without clusters, cooperative grids and dependent launches")
        self.scratch = metadata.global_scratch_size, metadata.global_scratch_align
        self.memory = ctypes.create_string_buffer(8 * (len(self.kinds) + 2))
        base = ctypes.addressof(self.memory)
        self.addresses = (ctypes.c_void_p * (len(self.kinds) + 2))(*range(base, base + len(self.memory), 8))
        self.driver = Driver()

    def __call__(self, x, y, z, stream, function, metadata, _about, enter, leave, *arguments):
        warps, _, shared = metadata
        scratch = self.global_scratch(x * y * z, stream)
        values = [packed(kind, arguments[place]) for place, kind in self.kinds]
        self.memory[:] = b"".join([*values, packed("*", scratch), bytes(8)])
        if enter is not None:
            enter(_about)
        if x * y * z > 0:
            self.driver("cuLaunchKernel", ctypes.c_void_p(function), x, y, z, 32 * warps, 1, 1, shared, ctypes.c_void_p(stream), self.addresses, None)
        if leave is not None:
            leave(_about)

    def global_scratch(self, programs, stream):
        size, align = self.scratch
        return triton.runtime._allocation._allocator.get()(programs * size, align, stream) if size else None


class Memory:
    """In place of Triton's cache of files: the paths that it gives out are names in here."""
    texts = {}

    def __init__(self, key, *_, **__):
        self.key = key

    def get_file(self, name):
        path = f"{self.key}/{name}"
        return path if path in self.texts else None

    def put(self, data, name, binary=True):
        path = f"{self.key}/{name}"
        self.texts[path] = data if isinstance(data, bytes) else str(data).encode()
        return path

    def get_group(self, name):
        return self.texts.get(f"{self.key}/group/{name}")

    def put_group(self, name, group):
        self.texts[f"{self.key}/group/{name}"] = group


class MemoryPath:
    def __init__(self, path):
        self.path = str(path)
        self.suffix = os.path.splitext(self.path)[1]

    def read_bytes(self):
        return Memory.texts[self.path]

    def read_text(self):
        return self.read_bytes().decode()


def adapt_triton():
    """Before the fork, where Triton is installed."""
    import triton.backends.nvidia.compiler as compiler
    import triton.backends.nvidia.driver as of_driver
    import triton.compiler.compiler as pipeline

    def version():
        number = Driver().number("cuDriverGetVersion")
        return compiler.ptx_get_version(f"{number // 1000}.{number % 1000 // 10}")

    triton.knobs.nvidia.mock_ptx_version = "the driver's"
    triton.knobs.cache.manager_class = Memory
    triton.runtime.cache.triton_key = lambda: "one process"
    compiler.get_ptx_version_from_options = lambda options, arch: options.ptx_version or version()
    compiler.CUDABackend.make_cubin = lambda self, src, metadata, options, capability: Driver().cubin(src)
    of_driver.CudaUtils, of_driver.CudaLauncher = Utilities, Launcher
    pipeline.Path = MemoryPath


if DEVICE != "cpu":
    try:
        import triton
        import triton.language
        adapt_triton()
    except Exception:  # none, or of another version: a program that launches its kernels is told so by Triton
        pass
