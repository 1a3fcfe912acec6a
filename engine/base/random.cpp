#include "base/random.hpp"
#include <sys/random.h>
#include <bit>
#include <cerrno>
#include <cstring>
#include "base/error.hpp"
#include "base/hash.hpp"

namespace hone {

Random::Random(std::uint64_t seed) : seed_(seed) {
    for (std::uint64_t& word : state_) {  // splitmix64
        std::uint64_t z = (seed += 0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        word = z ^ (z >> 31);
    }
}

Random::Random(std::uint64_t seed, std::string_view name) : Random(derive_seed(seed, name)) {}

Random Random::split(std::string_view name) const { return Random(seed_, name); }

std::uint64_t Random::bits() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9, shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
}

double Random::uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

std::uint64_t derive_seed(std::uint64_t seed, std::string_view name) { return hash64(name, seed); }

std::uint64_t fresh_seed() {
    std::uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
        throw Error(Blame::environment, "getrandom", std::strerror(errno));
    return seed;
}

}  // namespace hone
