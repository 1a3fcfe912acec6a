// Where the next call of a timed run lies, as a hostile program can learn: calls of a run lie at equal distances, and
// the run before tells how many they are.
#pragma once
#include <cstdint>
#include <vector>
#include "hone/call.h"

namespace fake {

class NextCall {
public:
    // Each call, in order.
    void see(const hone_call& call) {
        std::vector<uint64_t> now, step;
        for (uint32_t i = 0; i < call.n_in; ++i) now.push_back(call.in[i].at);
        for (uint32_t i = 0; i < call.n_out; ++i) now.push_back(call.out[i].at);
        for (size_t i = 0; i < now.size() && i < last_.size(); ++i) step.push_back(now[i] - last_[i]);
        if (step == distance_) {
            ++number_;
        } else if (step == step_ && !step.empty()) {
            distance_ = step, number_ = 2;
        } else if (!distance_.empty()) {
            if (number_ >= least_steps) calls_ = number_ + 1;  // fewer are chance
            number_ = 0;
        }
        last_ = now, step_ = step;
    }

    // Whether the present run seems to have one more.
    bool is_there() const { return number_ + 1 < calls_; }

    bool in_a_run() const { return number_ >= least_steps; }

    // Its tensors; of use until the next call of this function.
    hone_call of(const hone_call& call) {
        tensors_.assign(call.in, call.in + call.n_in);
        tensors_.insert(tensors_.end(), call.out, call.out + call.n_out);
        for (size_t i = 0; i < tensors_.size(); ++i) tensors_[i].at += distance_[i];
        hone_call next = call;
        next.in = tensors_.data(), next.out = tensors_.data() + call.n_in;
        return next;
    }

private:
    std::vector<uint64_t> last_, step_, distance_;
    std::vector<hone_tensor> tensors_;
    static constexpr int least_steps = 4;
    int number_ = 0, calls_ = 0;
};

}  // namespace fake
