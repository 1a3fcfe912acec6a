// lint/lint_mutants.hpp: the trivial programs that the linter tries (lint.hpp tells the kinds).
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>
#include "lint/lint_sample.hpp"

namespace hone {

enum class MutantKind { idle, slip, narrow };

struct Mutant {
    std::string word;  // of a reason: "zeros"
    std::string deed;  // "a program that writes zeros"
    std::string harm;  // why that is bad
    MutantKind kind;
    bool whole;  // it must pass in every output at once; else passing in one is a fault
    // Its numbers, one list an output; nullopt: it does not apply to this task.
    std::function<std::optional<Numbers>(LintSample&, const LintCase&)> make;
};

std::vector<Mutant> mutants_of_outputs(LintSample&);  // made from truth
std::vector<Mutant> mutants_of_inputs(LintSample&);   // made by the definition on altered inputs

}  // namespace hone
