// What every fuzzer asks of a parser: it takes the bytes or refuses them with a hone::Error, and what it took keeps its
// promises.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include "base/error.hpp"
#include "base/json.hpp"

namespace hone::fuzz {

// Ends the process, which libFuzzer reports with the bytes that led there.
inline void hold(bool promise, const char* words) {
    if (promise) return;
    std::fprintf(stderr, "broken promise: %s\n", words);
    std::abort();
}

// False: refused with words. Any other exception is a finding.
template <class Body> bool taken(Body&& body) {
    try {
        body();
        return true;
    } catch (const Error& e) {
        hold(!e.cause().empty(), "a refusal says why");
        return false;
    }
}

inline bool is_utf8(const std::string& text) {
    try {
        (void)Json(text).dump();
        return true;
    } catch (const Json::type_error&) {
        return false;
    }
}

inline std::string_view view(const std::uint8_t* bytes, std::size_t size) {
    return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace hone::fuzz
