// What verifier.cuda and its compile server hone-nvrtc say to each other. A request's source and its product lie in
// shared memory, so that the server itself never looks at either: it forks a child that does. The product was written
// within a candidate's reach.
#pragma once
#include <cstdint>

namespace hone::cuda {

constexpr std::uint64_t product_room = 4 << 20, log_room = 64 << 10, compile_memory = std::uint64_t{2} << 30,
                        compile_files = 64 << 20;
constexpr std::uint32_t compile_seconds = 15, answer_seconds = 5;
constexpr int host_socket = 3;  // the server's end

// The first message.
struct ServeMessage {
    char library[1024];     // path of NVRTC
    char headers[1024];     // folder of CUDA's headers; "": none
    char temporary[1024];   // where it may make a folder of its own, hone-build-PID-XXXXXX
    char architecture[32];  // what its headers are precompiled for at once
    std::uint32_t seconds;  // of wall clock and of processor that one source may take
};

struct ServeReply {
    std::int32_t major = 0, minor = 0;  // NVRTC's version
    char reason[240] = {};              // why it cannot serve; "": it serves
};

// Every further message, with two files: the source, readable, and the product, writable.
struct CompileMessage {
    std::uint64_t source_bytes;
    std::uint32_t n_options, n_headers;
    // the options, then the headers that the source begins with, as #include names them; each ends with NUL
    char words[4080];
};

enum class Outcome : std::int32_t { ended, too_long, not_started };

struct CompileReply {
    Outcome outcome = Outcome::ended;
    std::int32_t status = 0;  // as waitpid gives it
    double seconds = 0, cpu_seconds = 0;
    std::uint64_t peak_bytes = 0;
    std::int32_t precompiled = 0;  // 1: those headers were read in precompiled form
};

// The product begins with this, the log and the cubin follow.
struct ProductHead {
    std::uint64_t log_bytes, cubin_bytes;
};

enum CompileExit : int {
    exit_compiled = 0,
    exit_refused = 1,
    exit_unusable = 2,
    exit_too_large = 3,
    exit_no_memory = 4
};

}  // namespace hone::cuda
