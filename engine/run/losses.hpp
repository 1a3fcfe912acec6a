// run/losses.hpp: answers that nobody could judge, and why. The fault is never the program's: the policy gave no answer,
// the meter is dead, the machine was too busy.
#pragma once
#include <cstddef>
#include <map>
#include <string>
#include "domain/judgement.hpp"

namespace hone {

// What reasons of one kind have in common: all but their numbers.
std::string kind_of_loss(const std::string& reason);

class Losses {
public:
    void add(const Judgement&);  // that is not scorable
    std::size_t count() const { return count_; }
    // Of `total` answers, too many are lost to go on: all of them, or half of a step's. A few that only a busy machine
    // took never are.
    bool too_many(std::size_t total, bool is_step) const;
    std::string most_frequent() const;  // reason, as first told; empty: nothing is lost

private:
    struct Kind {
        std::string reason;
        std::size_t count = 0;
    };
    std::map<std::string, Kind> kinds_;
    std::size_t count_ = 0, busy_ = 0;
};

}  // namespace hone
