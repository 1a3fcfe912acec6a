#include "base/hash.hpp"
#include <openssl/evp.h>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include "base/error.hpp"
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace hone {

namespace {

class Sha256 {
public:
    Sha256() : context_(EVP_MD_CTX_new()) { EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr); }
    void add(const char* bytes, std::size_t n) { EVP_DigestUpdate(context_.get(), bytes, n); }
    std::string digits() {
        unsigned char digest[EVP_MAX_MD_SIZE];
        unsigned int size = 0;
        EVP_DigestFinal_ex(context_.get(), digest, &size);
        std::string text;
        for (unsigned int i = 0; i < size; ++i) {
            text += "0123456789abcdef"[digest[i] >> 4];
            text += "0123456789abcdef"[digest[i] & 15];
        }
        return text;
    }

private:
    struct Free {
        void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
    };
    std::unique_ptr<EVP_MD_CTX, Free> context_;
};

}  // namespace

std::string sha256(std::string_view bytes) {
    Sha256 sum;
    sum.add(bytes.data(), bytes.size());
    return sum.digits();
}

std::string sha256_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw Error(Blame::environment, path, std::string("cannot be read: ") + std::strerror(errno));
    Sha256 sum;
    char block[1 << 16];
    while (file.read(block, sizeof block) || file.gcount() > 0) sum.add(block, static_cast<std::size_t>(file.gcount()));
    if (file.bad()) throw Error(Blame::environment, path, std::string("cannot be read: ") + std::strerror(errno));
    return sum.digits();
}

std::uint64_t hash64(std::string_view bytes, std::uint64_t seed) {
    return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

}  // namespace hone
