// domain/thoughts.hpp: what stands in front of a reasoning model's answer (domain/candidate.cpp, which leaves it out).
#pragma once
#include <string>

namespace hone {

// An answer from behind the thoughts in front of it, also those that began in the prompt and only end here.
std::string without_thoughts(const std::string& answer);

}  // namespace hone
