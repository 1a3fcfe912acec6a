// What a compiler said of a hostile program, and the program's own text (plugins/verifier_cpp/unit).
#include <algorithm>
#include <cctype>
#include <sstream>
#include "property.hpp"
#include "verifier_cpp/unit.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string log(hone::fuzz::view(bytes, size)), kept = hone::cpp::own_lines(log);
    hone::fuzz::hold(kept.size() <= 4096 + 4, "a log is bounded");
    hone::fuzz::hold(
        std::none_of(kept.begin(), kept.end(), [](unsigned char c) { return c != '\n' && std::iscntrl(c); }),
        "no terminal is steered");
    std::istringstream lines(kept);
    for (std::string line; std::getline(lines, line);)
        hone::fuzz::hold(line.starts_with("candidate.cpp:") || line.ends_with("..."),
                         "only the candidate's own lines are told");
    (void)hone::cpp::about_prototype(log);
    (void)hone::cpp::wants_system_headers(log, {});
    return 0;
}
