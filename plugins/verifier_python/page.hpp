// What verifier.python and the process of a Python program (runner/calls.py, which has the same layout as a
// ctypes.Structure) say to each other in shared memory. The program can write all of it: everything that the process
// says here is a hint, which at worst harms the program itself.
#pragma once
#include <atomic>
#include <cstdint>

namespace hone::python {

constexpr std::uint32_t max_tensors = 128, max_rank = 8, reason_room = 1000, wish_room = 1 << 20;

enum class Work : std::uint32_t { forward, weights, nothing, wake };  // wake: answered at once; the next comes soon

// Verdicts that a call may end in; runner/calls.py has the same list.
constexpr const char* failures[] = {"RUNTIME_ERROR", "INCORRECT_SHAPE", "LAUNCH_ERROR", "OUT_OF_MEMORY"};

struct Tensor {
    std::uint32_t memory;  // which of the pieces that the process was given
    std::int32_t dtype;    // HONE_F32 ...
    std::uint32_t rank, unused;
    std::uint64_t offset;  // bytes, in that piece
    std::uint64_t bits;    // of a scalar
    std::int64_t shape[max_rank];
};

// The verifier fills the first part, then raises `go`; the process answers with the same number.
struct Page {
    Work work;
    std::uint32_t n_in, n_out;
    std::uint32_t placing;        // another number: the tensors lie elsewhere; the same one may come again
    Tensor tensors[max_tensors];  // inputs, then outputs

    alignas(64) std::atomic<std::uint32_t> go;
    alignas(64) std::atomic<std::uint32_t> done;
    alignas(64) std::atomic<std::uint32_t> ended;  // the process is gone
    std::uint32_t failed;                          // of the last call: a place in `failures`, from 1; 0: it did not
    char reason[reason_room];
};  // wish_room bytes follow: what a program wants compiled (extensions.hpp), its length in the first eight

}  // namespace hone::python
