// judge/call/device_set.hpp: a set of inputs with its truth that stays on the device, where the verifier can look at
// tensors (hone/checks.h). The rule is judge/correctness/truth.hpp's; what is wrong is fetched and told by the host's
// own comparison, so that both always say the same.
#pragma once
#include <cstdint>
#include <vector>
#include "hone/checks.h"
#include "judge/call/arena.hpp"
#include "judge/correctness/inputs.hpp"
#include "judge/correctness/truth.hpp"

namespace hone {

struct ReferencePrograms {  // a task's own, in both forms; float64 works in the device's memory
    ReferenceProgram &eager, &float64;
    Epsilon epsilon;  // of the tolerance
};

class DeviceSet {
public:
    struct Found {  // by one look; one number an input or output
        std::vector<std::uint64_t> changed, strays;
        std::vector<hone_errors> errors;
    };

    // Leaves the layout in the arena's private memory, with the eager form's answer on these inputs.
    DeviceSet(Arena&, Layout&, const std::vector<Input>&, std::uint64_t key, const ReferencePrograms&);
    ~DeviceSet();
    DeviceSet(const DeviceSet&) = delete;

    void put(const hone_call&, bool constants_only = false) const;  // the inputs, where the call has them
    void settle()
        const;  // until all that was queued is in its place: who works in another context does not wait for it
    // Outputs of a call against the truth, its inputs against what they were, the words around its outputs against
    // their poison.
    Found look(const Layout&, std::uint64_t salt, bool poisoned) const;
    bool is_right(std::size_t output, const hone_errors&) const;
    Truth truth(std::size_t output) const;          // fetched from the device
    std::uint64_t bytes() const { return bytes_; }  // of the device's memory

private:
    struct Output {
        TensorSpec spec;
        hone_yardstick yardstick{};
        double mean_allowed = 0, centred_allowed = 0, rms = 0;
    };
    void lay_out(const Layout&);
    void fill(const Layout&, const std::vector<Input>&, std::uint64_t key) const;
    void run(const Layout&, const ReferencePrograms&);
    void measure(Output&, const hone_tensor& eager, const Epsilon&) const;
    double usual_size(const Output&) const;
    void widen_lone(Output&) const;        // see truth.hpp
    template <class T> T tallied() const;  // what stands at the beginning of the tally
    Arena& arena_;
    Verifier& verifier_;
    std::uint64_t memory_ = 0, bytes_ = 0;
    std::vector<TensorSpec> inputs_;
    std::vector<std::uint64_t> pristine_;
    std::vector<Output> outputs_;
    double input_rms_ = 0;
};

}  // namespace hone
