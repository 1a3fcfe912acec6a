// commands/judge/speed_text.hpp: how fast a program is, and what a reader should know beside the number, in words.
#pragma once
#include <string>
#include "domain/judgement.hpp"

namespace hone {

// All of a judgement that passed and was timed.
std::string ratio_text(const Judgement&);     // "1.63x of the reference", "uses 0.3x the energy of the reference"
std::string range_text(const Judgement&);     // "1.5 to 1.78": the interval of that ratio
std::string speed_text(const Judgement&);     // "faster: 1.63x of the reference, 95 % interval 1.5 to 1.78"
std::string restless_text(const Judgement&);  // why it is ambiguous though its interval excludes 1; "": it is not
void print_speed(const Judgement&);           // that and the lines below it, to standard output

}  // namespace hone
