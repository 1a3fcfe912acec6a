// commands/judge/text.hpp: a judgement as `hone judge` prints it for people.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include "domain/judgement.hpp"

namespace hone {

// All print to standard output; the judgement's texts are printable.
void print_for_people(const Judgement&);
void print_hull(const Judgement&, std::size_t times);  // of commands/judge/repeats.hpp
std::string verdict_text(const Judgement&);            // "TIMEOUT: no answer within 0.25 s"
// Whether the lower end of the ratio is as high as was asked for; says so where it is not (quietly: to standard error).
bool meets(const std::optional<double>& at_least, const Judgement&, bool quietly);

}  // namespace hone
