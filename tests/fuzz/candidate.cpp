// Answers of language models (domain/candidate). The first byte chooses the brief's fences.
#include "domain/candidate.hpp"
#include "property.hpp"

using namespace hone;

namespace {

void check(const ParsedAnswer& answer, const std::string& language) {
    const Candidate& candidate = answer.candidate;
    fuzz::hold(!candidate.code.empty() && candidate.code.size() + candidate.plan.size() <= max_candidate_bytes,
               "a program has a bounded size");
    fuzz::hold(fuzz::is_utf8(candidate.code) && fuzz::is_utf8(candidate.plan), "a program is UTF-8");
    fuzz::hold(fuzz::is_utf8(answer.analysis) && fuzz::is_utf8(answer.design), "prose is UTF-8");
    fuzz::hold((candidate.code + candidate.plan).find('\0') == std::string::npos, "a program has no NUL byte");
    fuzz::hold(make_candidate("t", language, candidate.code, candidate.plan).hash == candidate.hash,
               "a hash belongs to its program");
    fuzz::hold(parse_answer("t", candidate.code, {language}, false).candidate.code == candidate.code,
               "a program stays as it is");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    if (size == 0) return 0;
    const std::string text(fuzz::view(bytes + 1, size - 1));
    const std::vector<std::string> fences =
        bytes[0] & 1 ? std::vector<std::string>{"cuda", "lua"} : std::vector<std::string>{"cpp"};
    const bool fenced = bytes[0] & 2;
    const ParsedAnswer answer = parse_answer("t", text, fences, fenced);
    fuzz::hold(answer.ok == answer.reason.empty(), "a refusal says why");
    if (!answer.ok) return 0;
    check(answer, fences.front());
    if (!fenced) return 0;
    std::string marks = "```";  // more than stand within
    while ((answer.candidate.code + answer.candidate.plan).find(marks) != std::string::npos) marks += "`";
    std::string again = marks + fences.front() + "\n" + answer.candidate.code + "\n" + marks + "\n";
    if (!answer.candidate.plan.empty()) again += marks + "lua\n" + answer.candidate.plan + "\n" + marks + "\n";
    fuzz::hold(parse_answer("t", again, fences, true).candidate.hash == answer.candidate.hash,
               "fenced again, a program keeps its hash");
    return 0;
}
