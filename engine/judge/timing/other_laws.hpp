// judge/timing/other_laws.hpp: calls with inputs of other laws among those that are timed. They are made as timed ones
// are, looked at whole, and do not count. Nobody can foresee their places, so a program that counts its calls does not
// know which of them are only timed.
#pragma once
#include <cstddef>
#include <vector>
#include "base/chance.hpp"
#include "judge/call/bench_context.hpp"
#include "judge/call/prepared_task.hpp"

namespace hone {

class OtherLaws {
public:
    OtherLaws(const BenchContext&, PreparedTask&, Chance&);
    // A block of so many pairs begins; it may end after the first `least`. verified: the first one, in the process
    // that was verified: a program may know that.
    void begin_block(std::size_t pairs, std::size_t least, bool verified);
    // What the candidate is to be called with before the next pair; null: nothing more. Borrowed until the next call.
    // in_block: pairs that the block has had.
    const InputSet* next(std::size_t in_block);

private:
    void shuffle();
    const InputSet& made(Variant);
    PreparedTask& prepared_;
    Chance& random_;                   // of nothing else: what is made hangs on how long that takes
    double making_ = 0, most_making_;  // seconds
    std::size_t blocks_ = 0;
    bool on_;
    std::vector<std::size_t> places_;  // of this block, the next one last
    std::vector<Variant> left_;        // each has its turn before one has a second
};

}  // namespace hone
