// base/random.hpp: seeded streams split by name. A stream's draws depend on its seed and name only, never on what other
// streams drew or on thread timing, so a run's choices can be replayed one by one.
#pragma once
#include <cstdint>
#include <string_view>

namespace hone {

// 0 .. n-1 without bias from draws of 64 even bits; n > 0.
template <class Draw> std::uint64_t unbiased_below(std::uint64_t n, Draw&& draw_bits) {
    const std::uint64_t biased = -n % n;  // 2^64 mod n: draws below it would favour small results
    std::uint64_t draw = draw_bits();
    while (draw < biased) draw = draw_bits();
    return draw % n;
}

// xoshiro256** (Blackman and Vigna), seeded through splitmix64. Fast, and foreseen by who sees some draws: no candidate
// may (base/chance.hpp).
class Random {
public:
    explicit Random(std::uint64_t seed);
    Random(std::uint64_t seed, std::string_view name);  // the stream `name` of a run's seed
    Random split(std::string_view name) const;          // does not advance this stream
    std::uint64_t bits();
    double uniform();  // [0, 1)
    // 0 .. n-1, unbiased; n > 0
    std::uint64_t below(std::uint64_t n) {
        return unbiased_below(n, [this] { return bits(); });
    }

private:
    std::uint64_t seed_, state_[4];
};

std::uint64_t derive_seed(std::uint64_t seed, std::string_view name);
std::uint64_t fresh_seed();  // from the kernel: for keys that nobody may foresee

}  // namespace hone
