#include "base/chance.hpp"
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <cstring>
#include "base/error.hpp"

namespace hone {
namespace {

using Digest = std::array<unsigned char, 32>;

[[noreturn]] void refused(const char* what) {
    throw Error(Blame::environment, "libcrypto", std::string(what) + " is refused",
                "hone needs OpenSSL's default provider; see openssl.cnf");
}

Digest digest_of(std::uint64_t key, std::string_view name) {
    Digest digest;
    unsigned size = digest.size();
    if (!HMAC(EVP_sha256(), &key, sizeof key, reinterpret_cast<const unsigned char*>(name.data()), name.size(),
              digest.data(), &size))
        refused("HMAC-SHA256");
    return digest;
}

}  // namespace

std::uint64_t secret_key(std::uint64_t key, std::string_view name, bool secret) {
    if (!secret) return derive_seed(key, name);
    const Digest digest = digest_of(key, name);
    std::uint64_t first;
    std::memcpy(&first, digest.data(), sizeof first);
    return first;
}

Chance::Chance(std::uint64_t key, std::string_view name, bool secret)
    : cipher_(secret ? EVP_CIPHER_CTX_new() : nullptr), open_(key, name) {
    if (!secret) return;
    constexpr unsigned char counter_and_nonce[16] = {};  // the key is used for this stream alone
    if (!cipher_ ||
        !EVP_EncryptInit_ex(cipher_.get(), EVP_chacha20(), nullptr, digest_of(key, name).data(), counter_and_nonce))
        refused("ChaCha20");
}

Chance::~Chance() = default;

void Chance::Free::operator()(evp_cipher_ctx_st* cipher) const { EVP_CIPHER_CTX_free(cipher); }

void Chance::refill() {
    drawn_.fill(0);
    auto* const bytes = reinterpret_cast<unsigned char*>(drawn_.data());
    int size = 0;
    if (!EVP_EncryptUpdate(cipher_.get(), bytes, &size, bytes, static_cast<int>(sizeof drawn_))) refused("ChaCha20");
    next_ = 0;
}

std::uint64_t Chance::bits() {
    if (!cipher_) return open_.bits();
    if (next_ == drawn_.size()) refill();
    return drawn_[next_++];
}

}  // namespace hone
