#pragma once
#include <exception>
#include <string>

namespace hone {

// The text of what the body throws, or "no error".
template <class Body> std::string error_of(Body&& body) {
    try {
        body();
    } catch (const std::exception& e) {
        return e.what();
    }
    return "no error";
}

}  // namespace hone
