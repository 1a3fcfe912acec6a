// lint/lint_trivial.hpp: the trivial programs that the linter tries (lint.hpp tells the kinds).
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>
#include "lint/lint_sample.hpp"

namespace hone {

enum class TrivialKind { idle, slip, narrow };

struct TrivialProgram {
    std::string word;  // of a reason: "zeros"
    std::string deed;  // "a program that writes zeros"
    std::string harm;  // why that is bad
    TrivialKind kind;
    bool whole;  // it must pass in every output at once; else passing in one is a fault
    // Its numbers, one list an output; nullopt: it does not apply to this task.
    std::function<std::optional<Numbers>(LintSample&, const LintCase&)> make;
};

std::vector<TrivialProgram> trivial_of_outputs(LintSample&);  // made from truth
std::vector<TrivialProgram> trivial_of_inputs(LintSample&);   // made by the definition on altered inputs

}  // namespace hone
