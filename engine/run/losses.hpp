// run/losses.hpp: answers that nobody could judge, and why. The fault is never the program's: the policy gave no
// answer, the meter is dead, the machine was too busy.
#pragma once
#include <cstddef>
#include <map>
#include <string>

namespace hone {

// What reasons of one kind have in common: all but their numbers.
std::string kind_of_loss(const std::string& reason);

class Losses {  // of one rollout
public:
    // worth_a_try: the policy gave no answer and did not refuse, or the machine was busy; a resumed run need not meet
    // that again
    void add(const std::string& reason, bool worth_a_try);
    std::size_t count() const { return count_; }
    // Of `total` answers, too many are lost to go on: nothing could be judged, in this and in the `in_a_row` answers of
    // the rollouts before, four or more; or fewer, each is worth a try, and since the run was started none was
    // `judged`; or half of a step is lost, four or more.
    bool too_many(std::size_t total, bool is_step, std::size_t in_a_row, bool judged) const;
    std::string most_frequent() const;  // reason, as first told; empty: nothing is lost

private:
    struct Kind {
        std::string reason;
        std::size_t count = 0;
    };
    std::map<std::string, Kind> kinds_;
    std::size_t count_ = 0, worth_a_try_ = 0;
};

}  // namespace hone
