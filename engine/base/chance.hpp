// base/chance.hpp: what a judge draws by chance. A candidate sees some draws (the pattern in its outputs, the place of
// its tensors, its inputs), so no draw may tell another: draws are the ChaCha20 key stream (RFC 8439) under
// HMAC-SHA256(key, name), and keys that are derived are such values too. Who knows the key repeats all of it, which is
// how a judgement replays; who sees every draw learns nothing of the key. Both throw Error(environment) where libcrypto
// refuses these functions. (A linear generator such as xoshiro256** gives its state away within twenty calls, and a
// fast hash leads back to its seed.)
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include "base/random.hpp"

struct evp_cipher_ctx_st;

namespace hone {

// One way: neither the key nor another name's value follows from it. secret false: by a fast hash, for tests.
std::uint64_t secret_key(std::uint64_t key, std::string_view name, bool secret = true);

class Chance {  // of one thread; a stream's draws depend on key and name alone
public:
    Chance(std::uint64_t key, std::string_view name, bool secret = true);
    ~Chance();
    Chance(const Chance&) = delete;
    std::uint64_t bits();
    // 0 .. n-1, unbiased; n > 0
    std::uint64_t below(std::uint64_t n) {
        return unbiased_below(n, [this] { return bits(); });
    }

private:
    void refill();
    struct Free {
        void operator()(evp_cipher_ctx_st*) const;
    };
    std::unique_ptr<evp_cipher_ctx_st, Free> cipher_;  // null: not secret
    std::array<std::uint64_t, 64> drawn_;
    std::size_t next_ = drawn_.size();
    Random open_;
};

}  // namespace hone
