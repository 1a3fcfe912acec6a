# torch.utils.cpp_extension.load_inline for programs: the bench compiles what they hand over, before the program begins anew with it.
# The library's side is extension/*.hpp; it includes those instead of torch's headers.
import hashlib

MAX_DIMENSIONS = 12
SCALAR_TYPES = {torch.uint8: 0, torch.int8: 1, torch.int16: 2, torch.int32: 3, torch.int64: 4, torch.float16: 5, torch.float32: 6,
                torch.float64: 7, torch.bool: 11, torch.bfloat16: 15}
DTYPE_OF = {number: dtype for dtype, number in SCALAR_TYPES.items()}
CPP_HEAD, CUDA_HEAD = "#include <torch/extension.h>\n#line 1 \"cpp_sources\"\n", \
    "#include <torch/extension.h>\n#include <cuda_runtime.h>\n#line 1 \"cuda_sources\"\n"


class Kind:
    nothing, integer, real, truth, text, tensor, integers, list, dtype, device = range(10)


class View(ctypes.Structure):
    _fields_ = [("id", ctypes.c_int64), ("data", ctypes.c_void_p), ("dtype", ctypes.c_int64), ("device", ctypes.c_int64),
                ("rank", ctypes.c_int64), ("sizes", ctypes.c_int64 * MAX_DIMENSIONS), ("strides", ctypes.c_int64 * MAX_DIMENSIONS)]


class Value(ctypes.Structure):
    pass


class Content(ctypes.Union):
    _fields_ = [("integer", ctypes.c_int64), ("real", ctypes.c_double), ("text", ctypes.c_char_p), ("tensor", ctypes.POINTER(View)),
                ("integers", ctypes.POINTER(ctypes.c_int64)), ("list", ctypes.POINTER(Value))]


Value._anonymous_ = ("content",)
Value._fields_ = [("kind", ctypes.c_int64), ("count", ctypes.c_int64), ("content", Content)]
CALL = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_char_p, ctypes.POINTER(Value), ctypes.c_int64, ctypes.POINTER(Value))
DROP = ctypes.CFUNCTYPE(None, ctypes.c_int64)


class Python(ctypes.Structure):
    _fields_ = [("call", CALL), ("drop", DROP)]


class Tensors:
    """Those that C++ knows, by their numbers."""

    def __init__(self):
        self.held, self.number = {}, 0
        self.failure = b""
        self.last = None  # the view of the last result, until it is read
        self.python = Python(CALL(self.call), DROP(self.drop))

    def drop(self, number):
        self.held.pop(number, None)

    def view(self, tensor):
        if tensor.dim() > MAX_DIMENSIONS:
            raise RuntimeError(f"a tensor with more than {MAX_DIMENSIONS} dimensions")
        self.number += 1
        self.held[self.number] = tensor
        view = View(self.number, tensor.data_ptr(), SCALAR_TYPES[tensor.dtype], tensor.get_device(), tensor.dim())
        view.sizes[:tensor.dim()] = tensor.shape
        view.strides[:tensor.dim()] = tensor.stride()
        return view

    def put(self, value, word, kept):
        """word, as C++ reads it; kept: holds what must live as long as the value."""
        if word is None:
            value.kind = Kind.nothing
        elif isinstance(word, torch.Tensor):
            kept.append(self.view(word))
            value.kind, value.tensor = Kind.tensor, ctypes.pointer(kept[-1])
        elif isinstance(word, bool):
            value.kind, value.integer = Kind.truth, word
        elif isinstance(word, int):
            value.kind, value.integer = Kind.integer, word
        elif isinstance(word, float):
            value.kind, value.real = Kind.real, word
        elif isinstance(word, str):
            kept.append(word.encode())
            value.kind, value.text = Kind.text, kept[-1]
        elif isinstance(word, (list, tuple)):
            self.put_list(value, word, kept)
        else:
            raise TypeError(f"an argument of type {type(word).__name__} cannot be handed to an extension")

    def put_list(self, value, words, kept):
        value.count = len(words)
        if all(type(word) is int for word in words):
            kept.append((ctypes.c_int64 * len(words))(*words))
            value.kind, value.integers = Kind.integers, kept[-1]
            return
        values = (Value * len(words))()
        kept.append(values)
        for one, word in zip(values, words):
            self.put(one, word, kept)
        value.kind, value.list = Kind.list, values

    def get(self, value):
        kind = value.kind
        if kind == Kind.tensor:
            return self.held[value.tensor.contents.id]
        if kind in (Kind.integer, Kind.truth):
            return bool(value.integer) if kind == Kind.truth else value.integer
        if kind == Kind.integers:
            return value.integers[:value.count]
        if kind == Kind.list:
            return [self.get(value.list[i]) for i in range(value.count)]
        if kind == Kind.dtype:
            return DTYPE_OF[value.integer]
        if kind == Kind.device:
            return torch.device("cpu") if value.integer < 0 else torch.device("cuda", value.integer)
        return {Kind.nothing: None, Kind.real: value.real}[kind] if kind != Kind.text else value.text.decode()

    def call(self, name, arguments, count, result):
        try:
            name, words, options = name.decode(), [], {}
            for value in arguments[:count]:
                if value.kind in (Kind.dtype, Kind.device):
                    options["dtype" if value.kind == Kind.dtype else "device"] = self.get(value)
                elif value.kind != Kind.nothing or value.count == 0:
                    words.append(self.get(value))
            self.last = []
            self.put(result[0], self.function(name, words)(*words, **options), self.last)
            return 0
        except BaseException as error:
            self.failure = f"{type(error).__name__}: {error}".encode("utf-8", "replace")
            result[0].kind, result[0].text = Kind.text, self.failure
            return 1

    @staticmethod
    def function(name, words):
        if name == "hone.stream":
            return lambda: torch.cuda.current_stream().cuda_stream
        if name == "hone.blas":
            return torch.cuda.current_blas_handle
        if name.startswith("."):
            method = getattr(words.pop(0), name[1:])
            return method
        return getattr(torch, name, None) or getattr(torch.nn.functional, name)


TENSORS = Tensors()


class Function:
    def __init__(self, library, number):
        self.library, self.number = library, number
        self.__name__ = library.hone_extension_name(number).decode()
        self.names = []
        while word := library.hone_extension_argument(number, len(self.names)):
            self.names.append(word.decode())

    def __call__(self, *words, **named):
        words = list(words)
        while len(words) < len(self.names) and self.names[len(words)] in named:
            words.append(named.pop(self.names[len(words)]))
        if named:
            raise TypeError(f"{self.__name__} has no argument {next(iter(named))}")
        given, result, kept = (Value * (len(words) + 1))(), Value(), []
        for value, word in zip(given, words):
            TENSORS.put(value, word, kept)
        try:
            if failure := self.library.hone_extension_call(self.number, given, len(words), ctypes.byref(result)):
                raise RuntimeError(failure.decode("utf-8", "replace"))
            returned = TENSORS.get(result)
            return tuple(returned) if result.kind == Kind.list else returned
        finally:
            self.library.hone_extension_leave()


def opened(file, name):
    """The module of a library that the bench has compiled."""
    library = ctypes.CDLL(f"/proc/self/fd/{file}")
    for function, result, arguments in (("enter", None, [Python]), ("count", ctypes.c_int64, []), ("name", ctypes.c_char_p, [ctypes.c_int64]),
                                        ("argument", ctypes.c_char_p, [ctypes.c_int64] * 2), ("leave", None, []),
                                        ("call", ctypes.c_char_p, [ctypes.c_int64, ctypes.POINTER(Value), ctypes.c_int64, ctypes.POINTER(Value)])):
        entry = getattr(library, "hone_extension_" + function)
        entry.restype, entry.argtypes = result, arguments
    library.hone_extension_enter(TENSORS.python)
    module = types.ModuleType(name)
    for number in range(library.hone_extension_count()):
        function = Function(library, number)
        setattr(module, function.__name__, function)
    return module


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

    def install(self):
        """In place of torch's, which looks for compilers and needs setuptools."""
        module = types.ModuleType("torch.utils.cpp_extension")
        module.load_inline, module.load, module.CUDA_HOME = self.load_inline, self.load, None
        sys.modules[module.__name__] = torch.utils.cpp_extension = module
