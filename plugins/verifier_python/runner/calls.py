# The calls of one candidate: the page that they come by, and the memory that their tensors lie in.
MAX_TENSORS, MAX_RANK, REASON_ROOM, WISH_ROOM = 128, 8, 1000, 1 << 20
FAILURES = ["RUNTIME_ERROR", "INCORRECT_SHAPE", "LAUNCH_ERROR", "OUT_OF_MEMORY"]
FORWARD, WEIGHTS, NOTHING, WAKE = range(4)
MOST_OWN_BYTES = 8 << 30
MOST_PLACINGS = 256


class Tensor(ctypes.Structure):
    _fields_ = [("memory", ctypes.c_uint32), ("dtype", ctypes.c_int32), ("rank", ctypes.c_uint32), ("unused", ctypes.c_uint32),
                ("offset", ctypes.c_uint64), ("bits", ctypes.c_uint64), ("shape", ctypes.c_int64 * MAX_RANK)]


class Page(ctypes.Structure):
    """page.hpp has the same; each word that is waited for lies in a cache line of its own."""
    _fields_ = [("work", ctypes.c_uint32), ("n_in", ctypes.c_uint32), ("n_out", ctypes.c_uint32), ("placing", ctypes.c_uint32),
                ("tensors", Tensor * MAX_TENSORS), ("space_0", ctypes.c_char * 48), ("go", ctypes.c_uint32), ("space_1", ctypes.c_char * 60),
                ("done", ctypes.c_uint32), ("space_2", ctypes.c_char * 60),
                ("ended", ctypes.c_uint32), ("failed", ctypes.c_uint32),
                ("reason", ctypes.c_char * REASON_ROOM)]


def is_off(defence):
    """Whether a test has switched a defence off."""
    return f" {defence} " in os.environ.get("HONE_WITHOUT", "")


def limit_memory():
    """Of this process alone. Not its addresses: drivers and torch's threads reserve many."""
    if is_off("rlimits"):
        return
    now = int(open("/proc/self/statm").read().split()[5]) * mmap.PAGESIZE
    resource.setrlimit(resource.RLIMIT_DATA, (now + MOST_OWN_BYTES,) * 2)


def start_team():
    """The threads of torch's team take their places: a program may move none (lock.cpp), and two that share a core wait for each other for
    milliseconds."""
    torch.ones(1 << 20).add_(1)


class HostMemory:
    """Pieces of the bench's memory in this process."""

    def __init__(self, pieces):
        self.pieces = [mmap.mmap(file, size, prot=mmap.PROT_READ | (mmap.PROT_WRITE if writable else 0)) for file, size, writable in pieces]

    def view(self, tensor, shape):
        dtype, count = DTYPES[tensor.dtype], math.prod(shape)
        if count == 0:
            return torch.empty(shape, dtype=dtype)
        return torch.frombuffer(self.pieces[tensor.memory], dtype=dtype, count=count, offset=tensor.offset).view(shape)

    @staticmethod
    def close(_, needed):
        """What is left of its files could be mapped again, and for writing, or told a later process something: mmap has kept others of them."""
        close_all_but(needed)

    def finish(self):
        pass

    def pause(self):
        pass


class DeviceMemory:
    """The same on a CUDA device, whose context this process makes for it."""

    def __init__(self, pieces):
        torch.zeros(1, device=DEVICE)
        index = torch.device(DEVICE).index
        self.pieces = [self.mapped(index, *piece) for piece in pieces]
        self.pause()
        self.finish()

    @staticmethod
    def mapped(index, file, size, writable):
        at = LIBRARY.hone_python_map(index, file, size, writable)
        if not at:
            raise MemoryError("the bench's memory could not be mapped")
        return torch._C._construct_storage_from_data_pointer(at, torch.device(DEVICE), size)

    def view(self, tensor, shape):
        dtype = DTYPES[tensor.dtype]
        return torch.empty(0, dtype=dtype, device=DEVICE).set_(self.pieces[tensor.memory], tensor.offset // dtype.itemsize, shape)

    @staticmethod
    def close(files, _):
        """The same; a driver has files of its own."""
        for file in files:
            os.close(file)

    def finish(self):
        if LIBRARY.hone_python_finish():
            torch.cuda.synchronize()  # raises what torch says of it

    def pause(self):
        if error := LIBRARY.hone_python_pause(torch.cuda.current_stream().cuda_stream):
            raise RuntimeError(f"the empty kernel was not launched: CUDA error {error}")

    def answer_empty_calls(self, page):
        LIBRARY.hone_python_answer_empty_calls(page, torch.cuda.current_stream().cuda_stream)


def scalar_of(tensor):
    return torch.tensor([tensor.bits], dtype=torch.uint64).view(torch.uint8)[:DTYPES[tensor.dtype].itemsize].view(DTYPES[tensor.dtype]).item()


def shortened(text, room):
    """As bytes that are UTF-8 to their end."""
    return text.encode("utf-8", "replace")[:room].decode("utf-8", "ignore").encode()


class Calls:
    """inputs: [(name, "data", "scalar" or "constant")] in the order of the task's. program None: it only makes empty calls.
    remake: the model is made anew with each call's weights."""

    def __init__(self, page, memory, program, inputs, remake=False):
        self.page, self.memory, self.program, self.inputs, self.remake = page, memory, program, inputs, remake
        self.model = program and program.model()
        self.known = {}  # by the page's number for where the tensors lie: to look at each costs microseconds of a call's time
        self.weights = None  # the module's names of them, once the first call tells their shapes

    def view(self, number):
        tensor = self.page.tensors[number]
        return self.memory.view(tensor, list(tensor.shape[:tensor.rank]))

    def take_weights(self):
        given = {name: self.view(number) for number, (name, kind) in enumerate(self.inputs) if kind == "constant"}
        if self.remake:
            with Initial(given.values()):
                self.model = self.program.model()
        self.weights = self.weights or weights_of(self.model, [(name, list(tensor.shape)) for name, tensor in given.items()])
        own = tensors_of(self.model)
        for name, tensor in zip(self.weights, given.values()):
            own[name].copy_(tensor.reshape(own[name].shape))
        if callable(getattr(self.model, "prepack", None)):
            self.model.prepack()
        if self.remake:
            self.warm()

    def warm(self):
        """A first call of the new model, not timed: what a program makes once (graphs, compiled forms, chosen algorithms) it has made then."""
        arguments, outputs = self.tensors()
        arguments = [word if not isinstance(word, torch.Tensor) or word.is_floating_point() else torch.zeros_like(word) for word in arguments]
        self.result(arguments, tuple(torch.empty_like(output) for output in outputs))

    def tensors(self):
        placing = self.page.placing
        if placing not in self.known:
            if len(self.known) == MOST_PLACINGS:
                self.known.clear()
            arguments = [scalar_of(self.page.tensors[number]) if kind == "scalar" else self.view(number)
                         for number, (_, kind) in enumerate(self.inputs) if kind != "constant"]
            for place, value in self.program.numbers if self.program else ():
                arguments.insert(place, value)
            self.known[placing] = arguments, tuple(self.view(self.page.n_in + number) for number in range(self.page.n_out))
        arguments, outputs = self.known[placing]
        # of their own: a program may turn a view, or change its shape
        return [word.detach() if isinstance(word, torch.Tensor) else word for word in arguments], tuple(output.detach() for output in outputs)

    def result(self, arguments, outputs):
        object.__setattr__(self.model, "hone_outputs", outputs)  # a module's own would look for modules in it
        return self.model(*arguments)

    def forward(self):
        arguments, outputs = self.tensors()
        for output, result in zip(outputs, results_of(self.result(arguments, outputs), outputs)):
            if result is not output:
                output.copy_(result)

    def nothing(self):
        self.tensors()
        self.memory.pause()

    def run(self):
        try:
            work = self.page.work
            self.forward() if work == FORWARD else self.take_weights() if work == WEIGHTS else self.nothing()
            self.memory.finish()
        except BaseException as error:
            self.fail(error)

    def fail(self, error):
        verdict, reason = error.args if isinstance(error, Refused) else ("RUNTIME_ERROR", told(error))
        if "out of memory" in reason or "allocate memory" in reason:
            verdict = "OUT_OF_MEMORY"
        self.page.reason = shortened(reason, REASON_ROOM - 1)
        self.page.failed = FAILURES.index(verdict) + 1

    def serve(self):
        number, base, soon = 0, ctypes.addressof(self.page), False
        if not self.program:
            self.memory.answer_empty_calls(base)
        while True:
            number = LIBRARY.hone_python_await(base + Page.go.offset, number, soon)
            soon = self.page.work == WAKE
            if not soon:
                self.page.failed = 0
                self.run()
            LIBRARY.hone_python_answer(base + Page.done.offset, number)
