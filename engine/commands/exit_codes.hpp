// commands/exit_codes.hpp: what the program's exit code means, for every command; `Blame` has the codes.
#pragma once
#include <string>
#include <vector>

namespace hone {

struct ExitCode {
    int code;
    const char *in_short, *meaning;
};
const std::vector<ExitCode>& exit_codes();
std::string exit_codes_text();  // `hone help exit-codes`

}  // namespace hone
