// commands/judge_text.hpp: a judgement as `hone judge` prints it for people.
#pragma once
#include "domain/judgement.hpp"

namespace hone {

void print_for_people(const Judgement&);  // to standard output; the judgement's texts are printable

}  // namespace hone
