# A process that has imported torch and forks one process for each candidate. It runs nothing of theirs, and tells the bench by its
# socket how they began and ended.
OPEN_SECONDS = 60
CONFINED, READY = "confined", ("", "")


class Order:
    """What the bench says: lines of words, and open files in their order: the page, the sources, the pieces of memory."""

    def __init__(self, text, files):
        self.verb, *lines = text.split("\n")
        self.page, self.sources, *memories = files or [None, None]
        self.pieces, self.inputs = [], []
        for verb, *words in (line.split(" ") for line in lines if line):
            if verb == "page" and int(words[0]) != Page.reason.offset:
                raise ValueError("hone's verifier and its runner are of two versions")
            if verb == "sources":
                self.code_bytes, self.task_bytes = map(int, words)
            if verb == "memory":
                self.pieces.append((memories[len(self.pieces)], int(words[0]), words[1] == "1"))
            if verb == "input":
                self.inputs.append(tuple(words))
        self.files = files

    def read_sources(self):
        size = max(self.code_bytes + self.task_bytes, 1)
        with mmap.mmap(self.sources, size, prot=mmap.PROT_READ) as all_of_it:
            both = all_of_it[:self.code_bytes + self.task_bytes]
        return both[:self.code_bytes].decode("utf-8", "replace"), both[self.code_bytes:].decode("utf-8", "replace")


def readable_folders():
    """Where libraries and modules are loaded from, also while a candidate runs."""
    folders = [sys.prefix, sys.base_prefix, *sys.path, os.path.dirname(torch.__path__[0]), "/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/proc/cpuinfo",
               "/sys/devices/system/cpu"]
    return (ctypes.c_char_p * (len(folders) + 1))(*(folder.encode() for folder in folders if folder), None)


def confined(order):
    """The bench's memory, mapped, in a process that has given up what a candidate may not do."""
    LIBRARY.hone_python_end_with_parent()
    memory = (HostMemory if DEVICE == "cpu" else DeviceMemory)(order.pieces)
    torch.set_grad_enabled(False)
    if error := LIBRARY.hone_python_lock(readable_folders()):
        raise OSError(error, "the process cannot be confined: " + os.strerror(error))
    return memory


def called(order, page, memory, sources):
    """The candidate, ready for calls, or a verdict and a reason."""
    try:
        return Calls(page, memory, made(*sources), order.inputs), READY
    except Refused as refused:
        return None, refused.args
    except BaseException as error:
        return None, ("COMPILE_ERROR", told(error))


class Child:
    def __init__(self, order, bench):
        self.page_memory = mmap.mmap(order.page, ctypes.sizeof(Page))
        self.page = Page.from_buffer(self.page_memory)
        reports, self.reports = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(reports)
            bench.close()
            self.be_it(order)
        os.close(self.reports)
        self.beginning = self.begin(reports)
        os.close(reports)
        for file in order.files:
            os.close(file)
        self.look()

    def be_it(self, order):
        try:
            sources = order.read_sources()
            memory = confined(order)
        except BaseException as error:
            self.report(told(error))
            os._exit(1)
        self.report(CONFINED)
        calls, outcome = called(order, self.page, memory, sources)
        self.report("\n".join(outcome))
        os.close(self.reports)
        if calls:
            calls.serve()
        os._exit(0)

    def report(self, text):
        os.write(self.reports, text.encode()[:REASON_ROOM].ljust(REASON_ROOM, b"\0"))

    def begin(self, reports):
        """A verdict and a reason; both empty: it can be called. The first report comes before there is a line of the candidate's, the
        second one may be the candidate's own, and gives it none but its own faults."""
        first = self.next_report(reports)
        if first != CONFINED:
            return "INFRASTRUCTURE\n" + (first or "the process did not start")
        second = self.next_report(reports)
        if second is None:
            return "TIMEOUT\nits module takes too long to make"
        verdict, _, reason = second.partition("\n")
        return second if verdict in ("", "COMPILE_ERROR", "LAUNCH_ERROR") else "ended\n"

    @staticmethod
    def next_report(reports):
        """Empty: the process has ended; None: it is late."""
        ready, _, _ = select.select([reports], [], [], OPEN_SECONDS)
        return os.read(reports, REASON_ROOM).rstrip(b"\0").decode("utf-8", "replace") if ready else None

    def look(self):
        if self.how_it_ended() != b"lives":
            self.page.ended = 1

    def how_it_ended(self):
        """Leaves it unreaped: nobody else gets its number."""
        about = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if about is None:
            return b"lives"
        return f"{'exit' if about.si_code == os.CLD_EXITED else 'signal'} {about.si_status}".encode()

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def declare(name, result, *arguments):
    function = getattr(LIBRARY, "hone_python_" + name)
    function.restype, function.argtypes = result, arguments


def serve():
    bench, child = socket.socket(fileno=3), None
    declare("await", ctypes.c_uint32, ctypes.c_void_p, ctypes.c_uint32)
    declare("answer", None, ctypes.c_void_p, ctypes.c_uint32)
    declare("map", ctypes.c_uint64, ctypes.c_int, ctypes.c_int, ctypes.c_uint64, ctypes.c_int)
    declare("pause", ctypes.c_int, ctypes.c_void_p)
    signal.signal(signal.SIGCHLD, lambda *_: child and child.look())
    while True:
        text, files, _, _ = socket.recv_fds(bench, 1 << 16, 250)
        if not text:
            return
        if text == b"status":
            bench.send(child.how_it_ended() if child else b"none")
            continue
        if child:
            ended, child = child, None
            ended.end()
        if text == b"end":
            bench.send(b"ended")
        else:
            child = Child(Order(text.decode(), list(files)), bench)
            bench.send(f"{child.pid}\n{child.beginning}".encode())
