# torch.utils.cpp_extension.load_inline for programs: the bench compiles what they hand over, before the program begins anew with it.
# The library's side is extension/*.hpp; it includes those instead of torch's headers.
import hashlib

SCALAR_TYPES = {torch.uint8: 0, torch.int8: 1, torch.int16: 2, torch.int32: 3, torch.int64: 4, torch.float16: 5, torch.float32: 6,
                torch.float64: 7, torch.bool: 11, torch.bfloat16: 15}
CPP_HEAD, CUDA_HEAD = "#include <torch/extension.h>\n#line 1 \"cpp_sources\"\n", \
    "#include <torch/extension.h>\n#include <cuda_runtime.h>\n#line 1 \"cuda_sources\"\n"


class Known(dict):
    """What extensions ask for: dtypes by torch's numbers and the reverse; functions and methods of torch by name."""

    def __missing__(self, name):
        if isinstance(name, torch.dtype):
            raise TypeError(f"a tensor of {name} cannot be handed to an extension")
        method = name.startswith(".")
        self[name] = getattr(torch.Tensor, name[1:]) if method else getattr(torch, name, None) or getattr(torch.nn.functional, name)
        return self[name]


KNOWN = Known({**SCALAR_TYPES, **{number: dtype for dtype, number in SCALAR_TYPES.items()}, "hone.blas": torch.cuda.current_blas_handle,
               "hone.stream": lambda: torch._C._cuda_getCurrentRawStream(torch.cuda.current_device())})  # torch.cuda.current_stream takes 4 us


def opened(file, name):
    """The module of a library that the bench has compiled."""
    fill = ctypes.PyDLL(f"/proc/self/fd/{file}").hone_extension_module
    fill.restype, fill.argtypes = ctypes.py_object, [ctypes.py_object] * 2
    return fill(types.ModuleType(name), KNOWN)


def joined(sources):
    return "\n".join([sources] if isinstance(sources, str) else sources or [])


def bindings(functions):
    names = {functions: ""} if isinstance(functions, str) else functions or []
    lines = "".join(f"m.def(\"{name}\", &{name});\n" for name in names)
    return f"\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {{\n{lines}}}\n" if lines else ""


def wish(cpp, cuda, cflags, cuda_cflags):
    """What the bench is asked for (extensions.cpp reads it): a line each, an empty line, and the two texts."""
    texts = [text.encode("utf-8", "replace") for text in (CPP_HEAD + cpp, CUDA_HEAD + cuda if cuda else "")]
    lines = [f"cpp {len(texts[0])}", f"cuda {len(texts[1])}", *(f"flag {flag}" for flag in cflags), *(f"cuda-flag {flag}" for flag in cuda_cflags)]
    text = "\n".join(lines).encode("utf-8", "replace") + b"\n\n" + b"".join(texts)
    return f"key {hashlib.sha256(text).hexdigest()}\n".encode() + text


class Extensions:
    """libraries: {key: an open file, or the text of a failure}; ask(wish) does not return."""

    def __init__(self, libraries, ask):
        self.libraries, self.ask, self.loaded = libraries, ask, {}

    def load_inline(self, name, cpp_sources, cuda_sources=None, functions=None, extra_cflags=None, extra_cuda_cflags=None, extra_ldflags=None,
                    extra_include_paths=None, build_directory=None, verbose=False, with_cuda=None, is_python_module=True,
                    with_pytorch_error_handling=True, keep_intermediates=True, use_pch=False):
        text = wish(joined(cpp_sources) + bindings(functions), joined(cuda_sources), extra_cflags or [], extra_cuda_cflags or [])
        key = text[4:68].decode()
        if key not in self.libraries:
            self.ask(text)
        if key not in self.loaded:
            found = self.libraries[key]
            if isinstance(found, str):
                raise RuntimeError(f"Error building extension '{name}': {found}")
            self.loaded[key] = opened(found, name)
            os.close(found)
        return self.loaded[key]

    def load(self, *_, **__):
        raise RuntimeError("a program is one file: load_inline takes its sources as texts")

    def compile(self, *_, **__):
        raise RuntimeError("torch.compile is not there for programs: it starts compilers, which their process must not")

    def find_spec(self, name, *_):
        """The first of sys.meta_path. What needs torch._dynamo finds no folder to write into, or takes longer than a call may."""
        if name == "torch._dynamo":
            raise ImportError("torch._dynamo is not there for programs, nor what needs it: torch.compile, custom_op, checkpoint, ...")

    def install(self):
        """In place of torch's, which looks for compilers and needs setuptools. Inductor, too, starts compilers."""
        torch.compile = self.compile
        sys.meta_path.insert(0, self)
        module = types.ModuleType("torch.utils.cpp_extension")
        module.load_inline, module.load, module.CUDA_HOME = self.load_inline, self.load, None
        sys.modules[module.__name__] = torch.utils.cpp_extension = module
