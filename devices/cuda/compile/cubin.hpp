// What a cubin says of its kernels, read without trust: whoever made it compiled a hostile source.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hone::cuda {

struct Kernel {
    std::string name;
    std::uint64_t code_bytes = 0;
    // shared: static, without what the system keeps; stack: a thread's local memory
    int registers = 0, shared_bytes = 0, stack_bytes = 0;
    std::vector<int> parameters;        // bytes of each
    std::map<std::string, int> tensor;  // tensor-core instructions by name, such as HMMA
};

struct Cubin {
    int architecture = 0;  // 90: sm_90 or sm_90a
    std::vector<Kernel> kernels;
    std::vector<std::string> calls;  // functions of the device runtime, such as vprintf or malloc
};

// nullopt: not a whole cubin.
std::optional<Cubin> read_cubin(std::string_view bytes);

// "registers 40, shared 4096 B, spills 0 B", for every kernel. log: the assembler's, which alone tells spills.
std::string resource_report(const Cubin&, const std::string& log);

}  // namespace hone::cuda
