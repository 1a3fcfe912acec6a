# A process that has imported torch and forks one process for each candidate. It runs nothing of theirs, and tells the bench by its
# socket how they began and ended.
OPEN_SECONDS, END_SECONDS = 12, 2  # below what a phase of the judge has
REPLY_ROOM = 4000
CONFINED, READY, WANTS = "confined", ("", ""), "wants"


class Order:
    """What the bench says: lines of words, and open files in their order: the page, the sources, the pieces of memory."""

    def __init__(self, text, files):
        self.verb, *lines = text.split("\n")
        self.page, self.sources, *others = files or [None, None]
        others = iter(others)
        self.pieces, self.inputs, self.tf32, self.remake, self.libraries = [], [], False, False, {}
        for verb, *words in (line.split(" ") for line in lines if line):
            if verb == "page":
                reason_at, self.wish_at = map(int, words)
                if reason_at != Page.reason.offset:
                    raise ValueError("hone's verifier and its runner are of two versions")
            if verb == "sources":
                self.code_bytes, self.task_bytes = map(int, words)
            if verb == "memory":
                self.pieces.append((next(others), int(words[0]), words[1] == "1" or is_off("input-seal")))
            if verb == "library":
                self.libraries[words[0]] = next(others)
            if verb == "failure":
                self.libraries[words[0]] = " ".join(words[1:])
            if verb == "tf32":
                self.tf32 = True
            if verb == "remake":
                self.remake = True
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


def be_silent():
    """What a program prints goes nowhere: not to the user's terminal, nor into any reason."""
    nowhere = os.open("/dev/null", os.O_RDWR)
    for file in range(3):
        os.dup2(nowhere, file)
    os.close(nowhere)


def require(error):
    if error:
        raise OSError(error, "the process cannot be confined: " + os.strerror(error))


def confined(order):
    """The bench's memory, mapped, in a process that has given up what a candidate may not do."""
    LIBRARY.hone_python_end_with_parent()
    be_silent()
    on_device = DEVICE != "cpu"
    memory = (DeviceMemory if on_device else HostMemory)(order.pieces)
    limit_memory()
    torch.set_grad_enabled(False)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = order.tf32
    if not on_device:
        start_team()
    require(LIBRARY.hone_python_lock(readable_folders(), on_device))
    return memory


def called(order, page, memory, sources):
    """The candidate, ready for calls, or a verdict and a reason."""
    try:
        return Calls(page, memory, Program(*sources) if sources[0] else None, order.inputs, order.remake), READY
    except Refused as refused:
        return None, refused.args
    except BaseException as error:
        return None, ("COMPILE_ERROR", told(error))


def close_all_but(files):
    """This process holds its other programs' pages and reports: a program that had one could write into it."""
    first = 3
    for file in [*sorted(files), resource.getrlimit(resource.RLIMIT_NOFILE)[0]]:
        os.closerange(first, file)
        first = file + 1


class Child:
    def __init__(self, order, bench):
        self.page_memory, self.wish_at = mmap.mmap(order.page, order.wish_at + WISH_ROOM), order.wish_at
        self.page = Page.from_buffer(self.page_memory)
        self.watched, self.reports = os.pipe()  # its own end closes with it, which tells that it has ended
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.watched)
            bench.close()
            self.be_it(order)
        self.page_memory.madvise(mmap.MADV_DONTFORK)  # later programs do not see it
        os.close(self.reports)
        self.beginning = self.begin()

    def be_it(self, order):
        try:
            close_all_but({*order.files, self.reports})
            sources = order.read_sources()
            memory = confined(order)
        except BaseException as error:
            self.report(told(error))
            os._exit(1)
        libraries = {file for file in order.libraries.values() if isinstance(file, int)}  # or why there is none
        memory.close(set(order.files) - libraries, {self.reports, *libraries})
        self.report(CONFINED)
        Extensions(order.libraries, self.ask).install()
        calls, outcome = called(order, self.page, memory, sources)
        self.report("\n".join(outcome))
        if calls:
            calls.serve()
        os._exit(0)

    def ask(self, wish):
        """The bench compiles it, and the program begins anew."""
        if len(wish) > WISH_ROOM - 8:
            raise RuntimeError(f"the sources of an extension have more than {WISH_ROOM} bytes")
        self.page_memory[self.wish_at:self.wish_at + 8 + len(wish)] = len(wish).to_bytes(8, "little") + wish
        self.report(WANTS)
        os._exit(0)

    def report(self, text):
        os.write(self.reports, shortened(text, REASON_ROOM).ljust(REASON_ROOM, b"\0"))

    def begin(self):
        """A verdict and a reason; both empty: it can be called. The first report comes before there is a line of the candidate's, the
        second one may be the candidate's own, and gives it none but its own faults."""
        first = self.next_report()
        if first != CONFINED:
            return "INFRASTRUCTURE\n" + (first or "the process did not start")
        second = self.next_report()
        if second is None:
            return "TIMEOUT\nits module takes too long to make"
        verdict = second.partition("\n")[0] if second else "ended"
        return second if verdict in ("", WANTS, "COMPILE_ERROR", "LAUNCH_ERROR") else "ended\n"

    def next_report(self):
        """Empty: the process has ended; None: it is late."""
        ready, _, _ = select.select([self.watched], [], [], OPEN_SECONDS)
        return os.read(self.watched, REASON_ROOM).rstrip(b"\0").decode("utf-8", "replace") if ready else None

    def how_it_ended(self):
        """Leaves it unreaped: nobody else gets its number."""
        until = time.monotonic() + (END_SECONDS if self.page.ended else 0)  # a driver takes its time
        while (about := os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)) is None:
            if time.monotonic() > until:
                return b"lives"
            time.sleep(0.001)
        return f"{'exit' if about.si_code == os.CLD_EXITED else 'signal'} {about.si_status}".encode()

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.watched)


def declare(name, result, *arguments):
    function = getattr(LIBRARY, "hone_python_" + name)
    function.restype, function.argtypes = result, arguments


def answer(text, files, children, bench):
    verb, *rest = text.split(" ", 1)
    child = children.get(int(rest[0])) if verb in ("status", "end") else None
    if verb == "status":
        return child.how_it_ended() if child else b"none"
    if verb == "end":
        if child:
            del children[child.pid]
            child.end()
        return b"ended"
    child = Child(Order(text, files), bench)
    children[child.pid] = child
    return shortened(f"{child.pid}\n{child.beginning}", REPLY_ROOM)


def serve():
    LIBRARY.hone_python_end_with_parent()
    bench, children = socket.socket(fileno=3), {}
    declare("lock", ctypes.c_int, ctypes.c_void_p, ctypes.c_bool)
    declare("await", ctypes.c_uint32, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_bool)
    declare("answer", None, ctypes.c_void_p, ctypes.c_uint32)
    declare("map", ctypes.c_uint64, ctypes.c_int, ctypes.c_int, ctypes.c_uint64, ctypes.c_int)
    declare("pause", ctypes.c_int, ctypes.c_void_p)
    declare("finish", ctypes.c_int)
    declare("answer_empty_calls", None, ctypes.c_void_p, ctypes.c_void_p)
    while True:
        alive = {child.watched: child for child in children.values() if not child.page.ended}
        ready, _, _ = select.select([bench, *alive], [], [])
        for watched in alive.keys() & set(ready):
            alive[watched].page.ended = 1
        if bench not in ready:
            continue
        text, files, _, _ = socket.recv_fds(bench, 1 << 16, 250)
        if not text:
            return
        try:
            reply = answer(text.decode(), list(files), children, bench)
        except Exception as error:
            reply = b"0\nINFRASTRUCTURE\n" + shortened(told(error), REASON_ROOM)
        finally:
            for file in files:
                os.close(file)
        bench.send(reply)
