// hone-jail-cuda DEVICE[:CUPTI[:LIBRARY]]: a process with a CUDA context of its own in which nothing runs but one
// candidate's kernels and, with LIBRARY, the operators of LibTorch that its plan names. It makes the context first,
// because the driver needs to write thread names and make memory files for that, then locks every door, waits for a
// candidate, and only then looks at its code.
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <sstream>
#include <vector>
#include "cuda/driver.hpp"
#include "hone/confine.hpp"
#include "verifier_cuda/runner/launcher.hpp"
#include "verifier_cuda/runner/records.hpp"
#include "verifier_cuda/runner/runner_lock.hpp"
#include "verifier_cuda/runner/runner_page.hpp"

namespace {

using namespace hone::cuda;

constexpr int host_socket = 3;
constexpr double spin_seconds = 0.02;  // then sleep: a call while timing comes long before

struct Received {
    OpenMessage message;
    std::vector<int> files;
};

bool receive(Received& out) {
    char room[CMSG_SPACE(sizeof(int) * (max_mapped + 2))];
    iovec part{&out.message, sizeof out.message};
    msghdr head{};
    head.msg_iov = &part;
    head.msg_iovlen = 1;
    head.msg_control = room;
    head.msg_controllen = sizeof room;
    if (recvmsg(host_socket, &head, MSG_WAITALL | MSG_CMSG_CLOEXEC) != sizeof out.message) return false;
    for (cmsghdr* c = CMSG_FIRSTHDR(&head); c; c = CMSG_NXTHDR(&head, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
        out.files.resize((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        std::memcpy(out.files.data(), CMSG_DATA(c), out.files.size() * sizeof(int));
    }
    return out.message.n_memories <= max_mapped && out.files.size() == out.message.n_memories + 2;
}

// Timing is a matter of two processes that watch one word: they must not share a core.
void leave_the_bench_its_core() {
    cpu_set_t own, others;
    sched_getaffinity(0, sizeof own, &own);
    if (CPU_COUNT(&own) != 1) return;
    std::memset(&others, 255, sizeof others);
    for (int core = 0; core < CPU_SETSIZE; ++core)
        if (CPU_ISSET(core, &own)) CPU_CLR(core, &others);
    sched_setaffinity(0, sizeof others, &others);
}

void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
    syscall(SYS_futex, &word, operation, value, nullptr, nullptr, 0);
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

struct Arguments {  // empty: not asked for
    std::string device, cupti, library;
    explicit Arguments(const std::string& text) {
        std::istringstream words(text);
        for (std::string* word : {&device, &cupti, &library}) std::getline(words, *word, ':');
    }
};

// LibTorch's scratch is bounded: what is asked for beyond it is OUT_OF_MEMORY.
Library* open_library(const std::string& path, int device, Stream queue) {
    setenv("PYTORCH_CUDA_ALLOC_CONF", "per_process_memory_fraction:0.125", 1);
    void* opened = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!opened)
        throw std::runtime_error(std::string(dlerror()) +
                                 "; library steps need torch (pip install torch) and HONE_TORCH_DIR=.../site-packages");
    std::string why;
    Library* library = reinterpret_cast<OpenLibrary>(dlsym(opened, open_library_symbol))(device, queue, why);
    if (!library) throw std::runtime_error(why);
    return library;
}

class Runner {
public:
    explicit Runner(const Arguments& arguments) : driver_(Driver::get()) {
        if (!arguments.cupti.empty()) records_.emplace(arguments.cupti);
        const int index = std::atoi(arguments.device.c_str());
        driver_.check(driver_.device(&device_, index), "cuDeviceGet");
        make_context(!arguments.library.empty());
        driver_.check(driver_.make_event(&begun_, 0), "cuEventCreate");
        driver_.check(driver_.make_event(&ended_, 0), "cuEventCreate");
        launcher_ = std::make_unique<Launcher>(driver_);
        if (!arguments.library.empty()) library_ = open_library(arguments.library, index, launcher_->queue());
        launcher_->use(library_);
    }

    std::vector<std::string> libraries() const { return library_ ? library_->folders() : std::vector<std::string>(); }

    void map(const Received& received, OpenReply& reply) {
        page_ = static_cast<RunnerPage*>(
            mmap(nullptr, sizeof(RunnerPage), PROT_READ | PROT_WRITE, MAP_SHARED, received.files[0], 0));
        code_ = static_cast<char*>(
            mmap(nullptr, received.message.code_bytes, PROT_READ, MAP_PRIVATE, received.files[1], 0));
        if (page_ == MAP_FAILED || code_ == MAP_FAILED) throw std::runtime_error("shared memory could not be mapped");
        for (std::uint32_t i = 0; i < received.message.n_memories; ++i) {
            const auto& memory = received.message.memories[i];
            reply.addresses[i] = map_file(driver_, device_, received.files[i + 2], memory.bytes, memory.writable != 0);
        }
        for (const int file : received.files) close(file);
    }

    void load(const OpenMessage& message, OpenReply& reply) {
        const auto& program = *reinterpret_cast<const Program*>(code_);
        const char* at = code_ + aligned_bytes(sizeof(Program));
        std::vector<const void*> modules;
        for (std::uint32_t i = 0; i < program.n_modules; at += aligned_bytes(message.module_bytes[i++]))
            modules.push_back(at);
        launcher_->load(program, modules, reply);
    }

    [[noreturn]] void serve() {
        if (records_) records_->take();  // what this process did for itself
        for (std::uint32_t last = page_->go.load();;) {
            await(last);
            last = page_->go.load();
            const std::uint32_t shape = page_->shape;
            std::uint64_t addresses[max_tensors];
            std::memcpy(addresses, page_->addresses, sizeof addresses);
            const Work work = page_->work;
            if (work == Work::trial) {
                page_->launched.store(last);
                std::uint32_t ended = 0;
                page_->result = launcher_->try_library(ended);
                page_->shape = ended;
                page_->refused = launcher_->step();
                tell_words(page_->result);
                page_->done.store(last);
                continue;
            }
            if (work == Work::prepare) {
                launcher_->prepare(shape, addresses);  // the call itself comes to what was wrong
                driver_.synchronize(launcher_->queue());
                page_->launched.store(last);
                continue;
            }
            driver_.record(begun_, launcher_->queue());
            Result result = put_on_queue(work, shape, addresses);
            driver_.record(ended_, launcher_->queue());
            page_->refused = result ? launcher_->step() : 0;
            tell_words(result);
            page_->launched.store(last);
            result = ended(result);
            float milliseconds = 0;
            page_->milliseconds = !result && driver_.elapsed(&milliseconds, begun_, ended_) == 0 ? milliseconds : NAN;
            page_->recorded = records_ && !result ? records_->take() : NAN;
            page_->result = result;
            page_->done.store(last);
        }
    }

private:
    // LibTorch means the device's primary context, and a process has one.
    void make_context(bool primary) {
        Context context = nullptr;
        if (!primary) return driver_.check(driver_.make_context(&context, schedule_spin, device_), "cuCtxCreate");
        driver_.check(driver_.primary_context(&context, device_), "cuDevicePrimaryCtxRetain");
        driver_.check(driver_.set_context(context), "cuCtxSetCurrent");
    }

    void tell_words(Result result) {
        if (result == library_failed)
            std::snprintf(page_->words, sizeof page_->words, "%s", launcher_->words().c_str());
    }

    // An operator also fails for what kernels before it did: then the driver says so.
    Result ended(Result launched) {
        if (launched != 0 && launched != library_failed) return launched;
        const Result of_queue = driver_.synchronize(launcher_->queue());
        return of_queue ? of_queue : launched;
    }

    Result put_on_queue(Work work, std::uint32_t shape, const std::uint64_t* addresses) {
        switch (work) {
            case Work::steps:
                return launcher_->run(shape, addresses);
            case Work::prepack:
                return launcher_->run_prepack(shape, addresses);
            default:
                return launcher_->run_empty();
        }
    }

    void await(std::uint32_t last) {
        for (const double until = now() + spin_seconds; now() < until;)
            for (int i = 0; i < 256; ++i) {
                if (page_->go.load(std::memory_order_acquire) != last) return;
                __builtin_ia32_pause();
            }
        while (page_->go.load() == last) futex(page_->go, FUTEX_WAIT, last);
    }

    const Driver& driver_;
    Device device_ = 0;
    Event begun_ = nullptr, ended_ = nullptr;
    std::optional<Records> records_;
    std::unique_ptr<Launcher> launcher_;
    Library* library_ = nullptr;  // for as long as the process lives
    RunnerPage* page_ = nullptr;
    char* code_ = nullptr;
};

// Everything up to the candidate's own bytes can be done before there is a candidate.
void prepare(std::optional<Runner>& runner, const std::string& argument) {
    runner.emplace(Arguments(argument));
    if (!lock_runner(runner->libraries())) throw std::runtime_error("Landlock or seccomp refused");
}

void open(Runner& runner, const Received& received, OpenReply& reply) {
    runner.map(received, reply);
    runner.load(received.message, reply);
}

// The body's exceptions become the reply's: no fault of the candidate.
template <class Body> bool guarded(OpenReply& reply, Body&& body) {
    try {
        body();
        return true;
    } catch (const std::exception& e) {
        std::snprintf(reply.verdict, sizeof reply.verdict, "INFRASTRUCTURE");
        std::snprintf(reply.reason, sizeof reply.reason, "%s", e.what());
        return false;
    }
}

}  // namespace

int main(int argc, char** argv) {
    hone::confine::end_with_parent();
    leave_the_bench_its_core();
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 1);  // a context in 42 ms instead of 90
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    OpenReply reply;
    std::optional<Runner> runner;
    const bool fit = guarded(reply, [&] { prepare(runner, argc > 1 ? argv[1] : "0"); });
    Received received;
    if (!receive(received)) return 1;
    if (fit) guarded(reply, [&] { open(*runner, received, reply); });
    if (write(host_socket, &reply, sizeof reply) != sizeof reply || reply.verdict[0]) return 1;
    runner->serve();
}
