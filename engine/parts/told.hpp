// parts/told.hpp: what a part tells of itself, where hone reads it: a text or a number, in its range. Other keys are
// the part's own.
#pragma once
#include <string>
#include <vector>
#include "base/json.hpp"

namespace hone {

struct ToldKey {
    enum Kind { text, number, amount, above_zero };  // amount: not negative
    std::string name;                                // that ends with "_": of every key that begins so
    Kind kind;
};

// Facts of an interface's parts ("timer"), and what else they fill in: "verifier.brief", "verifier.open".
const std::vector<ToldKey>& told_keys(const std::string& what);

// Throws Error(input) in the part's name: `timer "x": facts: "resolution" is the text "1 ms"; give a number above 0, or
// leave it out`; of a key that is nearly one of these: `"resoluton" is no key that hone reads; did you mean ...`.
void check_told(const Json& told, const std::string& what, const std::string& part, const char* function);

}  // namespace hone
