// commands/asked_policy.hpp: the policy that a command line names: MODEL, --policy ID, --option NAME=VALUE.
#pragma once
#include <cstdint>
#include <string>
#include "commands/command.hpp"
#include "parts/library.hpp"

namespace hone {

Recipe asked_policy(const Arguments& arguments, const std::string& command);  // throws Error(usage), Error(input)

// The number behind a flag, `absent` where there is none. Throws Error(usage), which blames the command.
double flag_number(const Arguments& arguments, const std::string& command, const std::string& flag, double absent,
                   double least, double most);
std::int64_t flag_whole(const Arguments& arguments, const std::string& command, const std::string& flag,
                        std::int64_t absent, std::int64_t least, std::int64_t most);

}  // namespace hone
