#include "cpp/flags.hpp"
#include <regex>
#include <sstream>
#include "hone/plugin.hpp"

namespace hone::cpp {
namespace {

// -mllvm takes the next word as LLVM's own option, which may load a library.
const char* const allowed[] = {
    "-O([0-3sgz]|fast)",
    "-std=(c|gnu)\\+\\+[0-9a-z]+",
    "-m(?!llvm)[a-z0-9.-]+(=[A-Za-z0-9._,+-]+)?",
    "-f(no-)?(fast-math|finite-math-only|signed-zeros|signaling-nans|associative-math|reciprocal-math|math-errno|"
    "trapping-math|rounding-math|unsafe-math-optimizations|approx-func|single-precision-constant)",
    "-ffp-contract=(fast|on|off)",
    "-fexcess-precision=(fast|standard)",
    "-f(no-)?(unroll|peel|split|move|prefetch|reroll|interchange|vectorize|slp-vectorize)(-[a-z]+)*",
    "-f(no-)?(tree|loop|ipa|gcse|ivopts|sched|schedule|inline|if-conversion|rename|omit)[0-9]?(-[a-z]+)*",
    "-f(inline-limit|vect-cost-model|simd-cost-model)=[a-z0-9-]+",
    "-f(no-)?(strict-aliasing|strict-overflow|wrapv|exceptions|rtti|plt|semantic-interposition|stack-protector)",
};

constexpr std::size_t longest = 200;  // std::regex recurses by the text's length

}  // namespace

bool is_allowed(const std::string& word) {
    if (word.size() > longest) return false;
    for (const char* one : allowed)
        if (std::regex_match(word, std::regex(one))) return true;
    return false;
}

std::vector<std::string> allowed_flags(const std::string& text) {
    std::vector<std::string> flags;
    std::istringstream words(text);
    for (std::string word; words >> word; flags.push_back(word))
        if (!is_allowed(word))
            throw Refused("option \"flags\": \"" + word +
                          "\" is not allowed: only -O, -std, -m and the flags of -f that decide how loops and numbers "
                          "are compiled are");
    return flags;
}

}  // namespace hone::cpp
