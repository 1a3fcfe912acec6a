// base/hash.hpp: content addresses. SHA-256 from OpenSSL; texts are hashed as they are.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace hone {

std::string sha256(std::string_view bytes);                            // 64 hexadecimal digits
std::string sha256_file(const std::string& path);                      // throws Error(environment) if it cannot be read
std::uint64_t hash64(std::string_view bytes, std::uint64_t seed = 0);  // xxHash3: fast, not for evidence

}  // namespace hone
