// tests/unit/error_text.hpp: the whole text of the Error that a call raises; errors are part of the interface and are
// tested to the letter.
#pragma once
#include <string>
#include "base/error.hpp"

template <class Call> std::string error_text(Call&& call) {
    try {
        call();
    } catch (const hone::Error& e) {
        return e.what();
    }
    return "(no error)";
}
