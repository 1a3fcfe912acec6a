// hone/script_limits.hpp: how far the Lua of a task may go, as its file is read and as its reference runs: a loop
// without end would hang whoever asks. Nothing of Lua is included here.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <limits>

namespace hone::script_limits {

constexpr int look_every = 1000;                 // instructions between two counts
constexpr long most_instructions = 500'000'000;  // of one call: beyond what a task's Lua needs
constexpr const char* too_long = "has run 500 million instructions: does a loop never end?";
constexpr long long most_bytes = 1LL << 30;
constexpr const char* too_large = "needs more than 1 GiB of memory for its Lua: does a loop never end?";

// The memory of one interpreter. `allocate` is a lua_Alloc, of which this is the `ud`. What is refused is Lua's "not
// enough memory", which names no line.
struct Memory {
    long long most = std::numeric_limits<long long>::max(), used = 0;
    bool refused = false;

    static void* allocate(void* self, void* old, std::size_t old_bytes, std::size_t bytes) {
        auto& memory = *static_cast<Memory*>(self);
        const long long more = static_cast<long long>(bytes) - (old ? static_cast<long long>(old_bytes) : 0);
        if (more > 0 && more > memory.most - memory.used) return memory.refused = true, nullptr;
        void* const made = bytes == 0 ? (std::free(old), nullptr) : std::realloc(old, bytes);
        if (made || bytes == 0) memory.used += more;
        return made;
    }
};

}  // namespace hone::script_limits
