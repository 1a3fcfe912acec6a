#include "domain/candidate.hpp"
#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include "base/hash.hpp"
#include "base/paths.hpp"
#include "base/printable.hpp"
#include "domain/document_json.hpp"
#include "domain/thoughts.hpp"

namespace hone {

namespace {

// A reasoning model's thoughts, as local servers pass them on: before its answer, and now and then behind it.
constexpr std::string_view begin_of_thoughts = "<think>", end_of_thoughts = "</think>";

struct Block {
    std::string language, text;
};

struct Scan {
    std::vector<Block> blocks;
    std::string prose;      // what stands before the first block
    std::size_t begin = 0;  // of the answer, behind thoughts that began in the prompt
    std::string fault;
};

std::string_view trim(std::string_view text) {
    constexpr const char* blank = " \t\r\n";
    for (;; text.remove_prefix(byte_order_mark.size())) {
        text.remove_prefix(std::min(text.find_first_not_of(blank), text.size()));
        if (!text.starts_with(byte_order_mark)) return text.substr(0, text.find_last_not_of(blank) + 1);
    }
}

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
}

struct Fence {
    std::size_t marks;     // a block ends with as many as it begins with, or more: what holds ``` stands between ````
    std::string language;  // "" of one that closes a block
};

std::optional<Fence> fence(std::string_view line) {
    line = trim(line);
    const std::size_t marks = std::min(line.find_first_not_of('`'), line.size());
    line.remove_prefix(marks);
    if (marks < 3 || line.find('`') != std::string_view::npos) return std::nullopt;  // inline code such as ```x```
    const std::string word = lower(trim(line).substr(0, trim(line).find_first_of(" \t{")));
    return Fence{marks, word};
}

// Thoughts begin at the beginning of a line and end anywhere. Within a program the marks are the program's.
class Thoughts {
public:
    // Leaves of a line what is no thought; true where nothing is left.
    bool take(std::string_view& line) {
        if (!open_ && !trim(line).starts_with(begin_of_thoughts)) return false;
        seen_ = true;
        const std::size_t end = line.find(end_of_thoughts);
        open_ = end == std::string_view::npos;
        if (!open_) line.remove_prefix(end + end_of_thoughts.size());
        return open_ || trim(line).empty();
    }
    bool open() const { return open_; }
    // They began in the prompt and end in this line, so that all before is thought. Leaves what follows: nothing, or
    // the fence of the program. Something else follows where an answer only speaks of the mark.
    bool end_in(std::string_view& line) const {
        const std::size_t end = line.rfind(end_of_thoughts);
        if (seen_ || end == std::string_view::npos) return false;
        const std::string_view rest = trim(line.substr(end + end_of_thoughts.size()));
        if (!rest.empty() && !fence(rest)) return false;
        line = rest;
        return true;
    }

private:
    bool open_ = false, seen_ = false;
};

Scan scan(std::string_view answer) {
    Scan result;
    Thoughts thoughts;
    bool begun = false;
    std::size_t open = 0;  // marks of the block that is open
    for (std::size_t at = 0; at < answer.size();) {
        const std::size_t end = std::min(answer.find('\n', at), answer.size());
        std::string_view line = answer.substr(at, end - at);
        at = end + 1;
        if (!open && thoughts.take(line)) continue;
        if (!open && thoughts.end_in(line)) {
            result = {};
            begun = false;
            result.begin = line.empty() ? at : static_cast<std::size_t>(line.data() - answer.data());
            if (line.empty()) continue;
        }
        const auto mark = fence(line);
        if (!mark || mark->marks < open) {
            if (open) result.blocks.back().text.append(line).push_back('\n');
            if (!begun) result.prose.append(line).push_back('\n');
        } else if (open && !mark->language.empty() && mark->language == result.blocks.back().language) {
            result.blocks.back().text.clear();  // a draft that was never closed, and the next one
            open = mark->marks;
        } else if (open && !mark->language.empty()) {
            break;  // a block within a block: the first was never closed
        } else {
            open = open ? 0 : mark->marks;
            begun = true;
            if (open) result.blocks.push_back({mark->language, {}});
        }
    }
    if (open) result.fault = "the ```" + result.blocks.back().language + " block is not closed";
    if (thoughts.open()) result.fault = "the <think> block has no end";
    return result;
}

// Splits the prose at the headings that prompts ask for ("performance analysis", "algorithm design").
void split_prose(std::string_view prose, ParsedAnswer& answer) {
    std::string* part = &answer.analysis;
    while (!prose.empty()) {
        const std::size_t end = std::min(prose.find('\n'), prose.size());
        const std::string_view line = prose.substr(0, end);
        prose.remove_prefix(std::min(end + 1, prose.size()));
        const std::size_t words = line.find_first_not_of(" \t#*_0123456789.:)");
        const std::string heading =
            words == std::string_view::npos || words == 0 ? std::string() : lower(line.substr(words));
        if (heading.starts_with("algorithm design")) part = &answer.design;
        else if (!heading.starts_with("performance analysis") && !heading.starts_with("code"))
            part->append(line).push_back('\n');
    }
    answer.analysis = trim(answer.analysis);
    answer.design = trim(answer.design);
}

std::string bytes_fault(const std::string& answer) {
    if (answer.size() > max_answer_bytes) return "answer longer than 1 MiB";
    if (answer.find('\0') != std::string::npos) return "answer holds a NUL byte";
    return is_utf8(answer) ? "" : "answer is not UTF-8";
}

std::string program_fault(const std::string& code, const std::string& plan) {
    if (code.empty()) return "the program is empty";
    return code.size() + plan.size() > max_candidate_bytes ? "program longer than 64 KiB" : "";
}

// Whether a block's word is one of the names of a language.
bool is_called(const std::string& word, std::string_view names) {
    for (std::size_t at = 0, end = 0; at <= names.size(); at = end + 1) {
        end = std::min(names.find('|', at), names.size());
        if (names.substr(at, end - at) == word) return true;
    }
    return false;
}

constexpr std::size_t none = std::string::npos;

// Where the last block of a language is, from the block `first` on.
std::size_t last_block(const std::vector<Block>& blocks, const std::string& names, std::size_t first) {
    for (std::size_t i = blocks.size(); i-- > first;)
        if (is_called(blocks[i].language, names)) return i;
    return none;
}

// The plan that belongs to the program in block `at`. A plan before that block belongs to an earlier draft, if there is
// one.
std::size_t plan_block(const std::vector<Block>& blocks, const std::vector<std::string>& fences, std::size_t at) {
    const std::size_t plan = last_block(blocks, fences[1], at + 1);
    const bool draft = std::any_of(blocks.begin(), blocks.begin() + static_cast<std::ptrdiff_t>(at),
                                   [&](const Block& block) { return is_called(block.language, fences.front()); });
    return plan != none || draft ? plan : last_block(blocks, fences[1], 0);
}

// An answer without fences is the program; a line ```lua, where the fences name a plan's language, begins the plan.
std::pair<std::string, std::string> bare(std::string_view answer, const std::vector<std::string>& fences) {
    for (std::size_t at = 0, end = 0; fences.size() > 1 && at < answer.size(); at = end + 1) {
        end = std::min(answer.find('\n', at), answer.size());
        if (const auto mark = fence(answer.substr(at, end - at)); mark && is_called(mark->language, fences[1]))
            return {std::string(trim(answer.substr(0, at))),
                    std::string(trim(answer.substr(std::min(end + 1, answer.size()))))};
    }
    return {std::string(trim(answer)), {}};
}

// Whether a program stands between fences although nobody asked for them: no program alone begins or ends with such a
// line. Within a program the line may be a comment's.
bool has_fences_of_its_own(std::string_view answer, const std::string& names) {
    answer = trim(answer);
    const std::size_t last = answer.rfind('\n');
    const bool begins = fence(answer.substr(0, answer.find('\n'))).has_value(),
               ends = last != std::string_view::npos && fence(answer.substr(last + 1)).has_value();
    return (begins || ends) && has_fence(answer, names);
}

ParsedAnswer refused(std::string reason) {
    ParsedAnswer result;
    result.reason = std::move(reason);
    return result;
}

}  // namespace

std::string first_name(const std::string& names) { return names.substr(0, names.find('|')); }

bool has_fence(std::string_view text, const std::string& names) {
    for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
        end = std::min(text.find('\n', at), text.size());
        if (const auto mark = fence(text.substr(at, end - at));
            mark && (names.empty() || is_called(mark->language, names)))
            return true;
    }
    return false;
}

std::string without_thoughts(const std::string& answer) {
    constexpr const char* blank = " \t\r\n";
    std::size_t begin = scan(answer).begin;
    const std::size_t first = answer.find_first_not_of(blank);
    if (first != none && answer.compare(first, begin_of_thoughts.size(), begin_of_thoughts) == 0) {
        const std::size_t end = answer.find(end_of_thoughts, first);
        if (end != none) begin = end + end_of_thoughts.size();
    }
    return begin == 0 ? answer : answer.substr(std::min(answer.find_first_not_of(blank, begin), answer.size()));
}

ParsedAnswer parse_answer(const std::string& task, const std::string& answer, const std::vector<std::string>& fences,
                          bool fenced) {
    std::string fault = bytes_fault(answer), code, plan;
    if (!fault.empty()) return refused(fault);
    fenced = fenced || has_fences_of_its_own(answer, fences.front());
    if (!fenced) std::tie(code, plan) = bare(answer, fences);
    ParsedAnswer result;
    if (fenced) {
        const Scan found = scan(answer);
        if (!found.fault.empty()) return refused(found.fault);
        const std::size_t at = last_block(found.blocks, fences.front(), 0);
        if (at == none) return refused("no ```" + first_name(fences.front()) + " block");
        const std::size_t plan_at = fences.size() > 1 ? plan_block(found.blocks, fences, at) : none;
        result.programs =
            static_cast<std::size_t>(std::count_if(found.blocks.begin(), found.blocks.end(), [&](const Block& block) {
                return is_called(block.language, fences.front());
            }));
        code = trim(found.blocks[at].text);
        if (plan_at != none) plan = trim(found.blocks[plan_at].text);
        split_prose(found.prose, result);
    }
    fault = program_fault(code, plan);
    result.ok = fault.empty();
    result.reason = fault;
    if (result.ok)
        result.candidate = make_candidate(task, first_name(fences.front()), std::move(code), std::move(plan));
    return result;
}

Candidate make_candidate(std::string task, std::string language, std::string code, std::string plan) {
    // lengths in front: no two different triples give the same bytes
    const std::string sized = std::to_string(language.size()) + ":" + std::to_string(code.size()) + ":";
    std::string hash = sha256(sized + language + code + plan);
    return {std::move(task), std::move(code), std::move(plan), std::move(language), std::move(hash)};
}

Json to_json(const Candidate& candidate) { return document_to_json(candidate); }

Candidate candidate_from_json(const Json& json) { return read_record<Candidate>(json, "candidate"); }

}  // namespace hone
