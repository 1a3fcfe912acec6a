// judge/call/input_set.hpp: a set of inputs with its truth, in private memory of the device that calls run on, where
// answers are compared with it (judge/correctness/truth.hpp). Only wrong outputs are fetched, to tell what is wrong.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include "judge/call/arena.hpp"
#include "judge/call/bench_parts.hpp"
#include "judge/correctness/inputs.hpp"
#include "judge/correctness/truth.hpp"

namespace hone {

using Positions = std::vector<std::vector<std::int64_t>>;  // one list an output
using Samples = std::vector<std::vector<double>>;

struct SetName {
    std::uint64_t key = 0;
    std::size_t shape = 0;  // 0: the timed one
    Variant variant = Variant::declared;
};

struct Definition {  // of a task, at one shape
    ReferenceProgram &eager, &float64;
    Epsilon epsilon;
    bool first;                       // its first call, which starts a library's device, is not timed
    std::vector<double> least_usual;  // Truth::usual of each output; empty: 0
};

enum class Inputs { all, constants, data };  // data: what is no constant

class InputSet : public SetName {
public:
    struct Found {  // by one look; one number an input or output
        std::vector<std::uint64_t> changed, strays;
        std::vector<hone_errors> errors;
    };

    // Leaves the layout in the arena's private memory, with the eager form's answer on these inputs.
    InputSet(SetName, Arena&, Layout&, const std::vector<Input>&, const Definition&);
    InputSet(const InputSet&) = delete;

    void put(const hone_call&, Inputs) const;                             // where the call has them
    const std::vector<std::uint64_t>& values() const { return values_; }  // one an input: see hone_call
    // Until all that was queued is in its place: who works in another context does not wait for it.
    void settle() const;
    // Outputs of a call against the truth, its inputs against what they were, the words around its outputs against
    // their poison.
    Found look(const Layout&, std::uint64_t salt, bool poisoned) const;
    // Whether elements that were read at these places are right.
    bool agrees(const Positions&, const Samples&) const;
    std::size_t inputs() const { return inputs_.size(); }
    const std::vector<Truth>& truths() const { return truths_; }
    FetchedTruth fetch_truth(std::size_t output) const { return fetch(memory_, truths_[output]); }
    std::string fetch_input(std::size_t input) const;  // bytes of its dtype
    double eager_seconds() const { return eager_seconds_; }
    std::uint64_t bytes() const { return piece_.bytes; }  // of the device's memory

private:
    void lay_out(const Layout&);
    void fill(const Layout&, const std::vector<Input>&);
    void run_eager(const Layout&, const Definition&);
    void run_float64(const Layout&, ReferenceProgram&) const;
    double input_rms(const Layout&) const;
    Arena& arena_;
    Memory& memory_;
    // Given back also where the constructor throws: a definition may fail.
    struct Piece {
        explicit Piece(Memory& of) : memory(of) {}
        ~Piece() {
            if (at) memory.release(at);
        }
        Piece(const Piece&) = delete;
        Memory& memory;
        std::uint64_t at = 0, bytes = 0;
    } piece_;
    std::vector<TensorSpec> inputs_;
    std::vector<std::uint64_t> pristine_, values_;
    std::vector<Truth> truths_;
    double eager_seconds_ = 0;
};

}  // namespace hone
