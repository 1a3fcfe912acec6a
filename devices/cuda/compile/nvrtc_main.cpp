// hone-nvrtc: a compile server. It opens NVRTC and precompiles headers once, locks itself in, and forks a child for
// every source, which meets the compiler there alone: nothing that a hostile source does to the compiler outlives its
// own compilation.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include "cuda/compile/nvrtc.hpp"
#include "cuda/compile/nvrtc_lock.hpp"
#include "cuda/compile/nvrtc_page.hpp"
#include "cuda/compile/precompiled.hpp"
#include "cuda/compile/standard_headers.hpp"
#include "hone/confine.hpp"

namespace {

namespace fs = std::filesystem;
using namespace hone::cuda;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// One message, with at most two files. False: the verifier is gone.
template <class Message> bool receive(Message& message, int (&files)[2]) {
    char room[CMSG_SPACE(sizeof files)];
    iovec part{&message, sizeof message};
    msghdr head{};
    head.msg_iov = &part;
    head.msg_iovlen = 1;
    head.msg_control = room;
    head.msg_controllen = sizeof room;
    files[0] = files[1] = -1;
    if (recvmsg(host_socket, &head, MSG_CMSG_CLOEXEC) != sizeof message) return false;
    if (const cmsghdr* c = CMSG_FIRSTHDR(&head); c && c->cmsg_type == SCM_RIGHTS)
        std::memcpy(files, CMSG_DATA(c), std::min(sizeof files, static_cast<std::size_t>(c->cmsg_len - CMSG_LEN(0))));
    return true;
}

template <class Reply> bool answer(const Reply& reply) {
    return write(host_socket, &reply, sizeof reply) == sizeof reply;
}

// The options, then the headers.
std::vector<std::string> words_of(const CompileMessage& message, std::uint32_t n, const char*& at) {
    std::vector<std::string> words;
    for (const char* end = message.words + sizeof message.words; words.size() < n && at < end;
         at += words.back().size() + 1)
        words.emplace_back(at, strnlen(at, static_cast<std::size_t>(end - at)));
    return words;
}

// Folders for temporary files: `work` is all that a candidate's child may write to. Benches sweep what a killed server
// leaves behind.
struct Folders {
    explicit Folders(const std::string& temporary)
        : all(temporary + "/hone-build-" + std::to_string(getpid()) + "-XXXXXX") {
        if (!mkdtemp(all.data())) throw std::runtime_error(all + " cannot be made: " + std::strerror(errno));
        work = all + "/work";
        fs::create_directory(work);
        if (chdir(work.c_str()) != 0 || setenv("TMPDIR", work.c_str(), 1) != 0)
            throw std::runtime_error("no folder to work in");
    }
    ~Folders() { fs::remove_all(all, ignored); }
    void clear() {
        for (const auto& left : fs::directory_iterator(work, ignored)) fs::remove_all(left, ignored);
    }
    std::string all, work;
    std::error_code ignored;
};

// CUDA's headers; CUB's and libcu++'s lie a folder deeper since CUDA 13.
std::vector<std::string> include_options(const std::string& headers) {
    std::vector<std::string> options;
    for (const char* below : {"", "/cccl"})
        if (!headers.empty() && fs::is_directory(headers + below))
            options.push_back("--include-path=" + headers + below);
    return options;
}

class Server {
public:
    explicit Server(const ServeMessage& asked)
        : folders_(asked.temporary),
          nvrtc_(asked.library),
          includes_(include_options(asked.headers)),
          lock_({fs::path(asked.library).parent_path(), asked.headers}, folders_.all, folders_.work, asked.seconds),
          seconds_(asked.seconds),
          precompiled_(nvrtc_, folders_.all) {
        const std::vector<std::string> options = complete({std::string("--gpu-architecture=") + asked.architecture});
        nvrtc_.compile("__global__ void warm(float* x) { *x = 1; }", options);  // opens what it opens once
        if (!includes_.empty()) precompiled_.make({"cuda_fp16.h", "cuda_bf16.h", "mma.h"}, options);
        if (!lock_.enter()) throw std::runtime_error("Landlock refused");
    }
    void describe(ServeReply& reply) const {
        reply.major = nvrtc_.major;
        reply.minor = nvrtc_.minor;
    }
    CompileReply compile(const CompileMessage& message, int source, int product) {
        const char* at = message.words;
        const std::vector<std::string> options = complete(words_of(message, message.n_options, at));
        const std::vector<std::string> headers = words_of(message, message.n_headers, at);
        const std::string found = precompiled_.find(headers, options);
        CompileReply reply;
        reply.precompiled = !found.empty();
        const double begun = now();
        const pid_t child = fork();
        if (child == 0)
            compile_here(message.source_bytes, source, product, found.empty() ? "" : prelude(headers), options, found);
        if (child < 0) reply.outcome = Outcome::not_started;
        else await(child, begun + seconds_, reply);
        reply.seconds = now() - begun;
        folders_.clear();
        return reply;
    }

private:
    std::vector<std::string> complete(std::vector<std::string> options) const {
        // functions without a word on where they run are the device's: there is no other code here, and <cuda.h> and
        // most helpers have such
        for (const char* option : {"--std=c++17", "--no-cache", "--ptxas-options=-v", "--pch-messages=false",
                                   "--device-as-default-execution-space"})
            options.emplace_back(option);
        options.insert(options.end(), std::begin(mathematics), std::end(mathematics));
        options.insert(options.end(), includes_.begin(), includes_.end());
        return options;
    }

    // In the child. The source is looked at here for the first time.
    [[noreturn]] void compile_here(std::uint64_t bytes, int source, int product, const std::string& headers,
                                   std::vector<std::string> options, const std::string& precompiled) const {
        hone::confine::end_with_parent();
        close(host_socket);
        const void* text = mmap(nullptr, std::max<std::uint64_t>(bytes, 1), PROT_READ, MAP_PRIVATE, source, 0);
        void* to = mmap(nullptr, product_room, PROT_READ | PROT_WRITE, MAP_SHARED, product, 0);
        if (text == MAP_FAILED || to == MAP_FAILED || !lock_.enter_child()) _exit(exit_unusable);
        if (!precompiled.empty()) options.push_back("--use-pch=" + precompiled);
        const std::string unit =
            headers + system_types + "#line 1 \"k.cu\"\n" + std::string(static_cast<const char*>(text), bytes);
        const Nvrtc::Result made = nvrtc_.compile(unit, options);
        const std::size_t log = std::min<std::size_t>(made.log.size(), log_room);
        if (sizeof(ProductHead) + log + made.cubin.size() > product_room) _exit(exit_too_large);
        char* bytes_to = static_cast<char*>(to) + sizeof(ProductHead);
        std::memcpy(bytes_to, made.log.data(), log);
        std::memcpy(bytes_to + log, made.cubin.data(), made.cubin.size());
        *static_cast<ProductHead*>(to) = {log, made.cubin.size()};
        _exit(!made.error ? exit_compiled : made.error == Nvrtc::out_of_memory ? exit_no_memory : exit_refused);
    }

    // Reaps the child; kills it at its deadline. SIGCHLD is blocked.
    void await(pid_t child, double deadline, CompileReply& reply) {
        sigset_t ends;
        sigemptyset(&ends);
        sigaddset(&ends, SIGCHLD);
        for (;;) {
            int status = 0;
            rusage used{};
            for (pid_t ended; (ended = wait4(-1, &status, WNOHANG, &used)) > 0;) {
                if (precompiled_.ended(ended, status) || ended != child) continue;
                reply.status = status;
                reply.cpu_seconds = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                                    static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
                reply.peak_bytes = static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
                return;
            }
            const double left = deadline - now();
            if (left <= 0) reply.outcome = Outcome::too_long, kill(child, SIGKILL);
            const timespec slice{static_cast<time_t>(std::max(left, 0.01)),
                                 static_cast<long>(std::fmod(std::max(left, 0.01), 1.0) * 1e9)};
            sigtimedwait(&ends, nullptr, &slice);
        }
    }

    Folders folders_;
    const Nvrtc nvrtc_;
    const std::vector<std::string> includes_;
    const Lock lock_;
    const double seconds_;
    Precompiled precompiled_;
};

void prepare_process() {
    hone::confine::end_with_parent();
    cpu_set_t all;
    std::memset(&all, 255, sizeof all);
    sched_setaffinity(0, sizeof all, &all);  // the bench may keep to one core
    signal(SIGPIPE, SIG_IGN);
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ends, nullptr);
    const int null = open("/dev/null", O_RDWR);
    for (int file = 0; file <= 2; ++file) dup2(null, file);  // nothing that NVRTC prints reaches the user's terminal
}

std::unique_ptr<Server> start() {
    ServeMessage asked;
    ServeReply reply;
    int files[2];
    if (!receive(asked, files)) return nullptr;
    std::unique_ptr<Server> server;
    try {
        server = std::make_unique<Server>(asked);
        server->describe(reply);
    } catch (const std::exception& e) {
        std::snprintf(reply.reason, sizeof reply.reason, "%s", e.what());
    }
    return answer(reply) ? std::move(server) : nullptr;
}

}  // namespace

int main() {
    prepare_process();
    const std::unique_ptr<Server> server = start();
    CompileMessage message;
    for (int files[2]; server && receive(message, files);) {
        const CompileReply reply = server->compile(message, files[0], files[1]);
        for (const int file : files) close(file);
        if (!answer(reply)) break;
    }
}
