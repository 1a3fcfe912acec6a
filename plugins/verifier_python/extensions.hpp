// C++ and CUDA that a program hands over to be compiled (load_inline). The process of a program starts no compiler:
// it tells the bench what it wants and ends; the bench compiles in a jail and begins the program anew with the library.
#pragma once
#include <deque>
#include <string>
#include <vector>
#include "hone/plugin.hpp"
#include "hone/shared_memory.hpp"
#include "verifier_python/wish.hpp"

namespace hone::python {

struct Extension {
    std::string key, failure;  // failure: one line; empty: it was compiled
    SharedMemory library;
    double seconds;  // of the compiler
};

class Extensions {
public:
    // nvcc: a path, or a name in PATH; empty: searched for.
    Extensions(const Host& host, std::string nvcc) : host_(host), nvcc_(std::move(nvcc)) {}
    // "sm_90a"; without this CUDA is refused.
    void compile_for(std::string architecture) { architecture_ = std::move(architecture); }
    // Those that a program has wanted so far. complete: it has begun with them, and may want no other: what it wants
    // would tell its next process something.
    struct Wanted {
        std::string code;
        std::deque<Extension> extensions;
        bool complete = false;
    };
    // The newest programs are kept.
    Wanted& of(const std::string& code);
    Extension build(const Wish&) const;

private:
    std::vector<std::string> command(const Wish&) const;  // throws std::invalid_argument with what is refused
    std::string find_nvcc() const;

    Host host_;
    std::string nvcc_, architecture_;
    std::deque<Wanted> programs_;
};

}  // namespace hone::python
