// A made-up signal processor, simulated: what a vendor's runtime library would be. Its memory is not the host's (an
// address means nothing to a pointer), its programs are text that it assembles, and its clock counts cycles.
#pragma once
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace dsp {

struct Instruction {
    enum What { load, set, add, sub, mul, store } what;
    int to = 0, a = 0, b = 0;  // registers; of load and store: `a` is the number of the tensor
    float value = 0;           // of set
};
using Program = std::vector<Instruction>;  // runs once for each element

class Device {
public:
    static constexpr int registers = 8;
    static constexpr std::uint64_t memory_cycles = 8, other_cycles = 1;  // of an instruction

    std::uint64_t reserve(std::uint64_t bytes) {
        const std::uint64_t at = next_;
        next_ += (bytes / 4096 + 2) * 4096;
        blocks_[at].resize(bytes);
        return at;
    }
    void release(std::uint64_t at) { blocks_.erase(at); }

    // Where the simulator keeps a byte of the device; a vendor's library would copy instead.
    char* host(std::uint64_t at) {
        auto block = blocks_.upper_bound(at);
        if (block == blocks_.begin() || at - (--block)->first >= block->second.size())
            throw std::out_of_range("no memory of the device lies at this address");
        return block->second.data() + (at - block->first);
    }

    // Runs a program over n elements of f32 tensors at these addresses, and counts its cycles.
    void run(const Program& program, const std::vector<std::uint64_t>& in, std::uint64_t out, std::int64_t n) {
        std::vector<const float*> from;
        for (const std::uint64_t at : in) from.push_back(reinterpret_cast<const float*>(host(at)));
        float* const to = reinterpret_cast<float*>(host(out));
        for (std::int64_t i = 0; i < n; ++i) {
            float r[registers] = {};
            for (const Instruction& step : program) execute(step, r, from, to, i);
        }
    }
    const std::uint64_t& cycles() const { return cycles_; }  // ever since

private:
    void execute(const Instruction& step, float* r, const std::vector<const float*>& from, float* to, std::int64_t i) {
        const bool memory = step.what == Instruction::load || step.what == Instruction::store;
        cycles_ += memory ? memory_cycles : other_cycles;
        switch (step.what) {
            case Instruction::load:
                r[step.to] = from[static_cast<std::size_t>(step.a)][i];
                break;
            case Instruction::set:
                r[step.to] = step.value;
                break;
            case Instruction::add:
                r[step.to] = r[step.a] + r[step.b];
                break;
            case Instruction::sub:
                r[step.to] = r[step.a] - r[step.b];
                break;
            case Instruction::mul:
                r[step.to] = r[step.a] * r[step.b];
                break;
            case Instruction::store:
                to[i] = r[step.a];
                break;
        }
    }

    std::map<std::uint64_t, std::vector<char>> blocks_;
    std::uint64_t next_ = 1 << 16, cycles_ = 0;
};

// One instruction a line: "load r0 a", "set r1 0.5", "add r2 r0 r1", "store o r2". inputs, output: names of the task.
// Throws std::invalid_argument, which names the line.
Program assemble(const std::string& text, const std::vector<std::string>& inputs, const std::string& output);

}  // namespace dsp
