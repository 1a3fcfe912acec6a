#include "cuda/compile/unit.hpp"
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <sstream>
#include <string_view>
#include "cuda/compile/standard_headers.hpp"

namespace hone::cuda {
namespace {

// together as fast as one, so all programs share them
constexpr std::array half_headers = {"cuda_fp16.h", "cuda_bf16.h", "mma.h"};
constexpr std::size_t most_headers = 16;

// A header that programs are meant to include: not one that must stand in pairs around a header's text.
bool is_public(const std::string& name) {
    const auto plain = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '/' || c == '.'; };
    if (name.empty() || name.size() > 64 || !std::all_of(name.begin(), name.end(), plain)) return false;
    for (const char* part : {"__", "..", "detail", "//"})
        if (name.find(part) != std::string::npos) return false;
    for (const char* begin : {"cub/", "cuda/", "cooperative_groups", "cuda_pipeline", "cuda_fp", "cuda_bf16", "mma.h"})
        if (name.starts_with(begin)) return true;
    return false;
}

// What an #include line names; "": it is none.
std::string included(std::string_view line) {
    const auto skip = [&] { line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size())); };
    const auto take = [&](std::string_view word) {
        skip();
        if (!line.starts_with(word)) return false;
        line.remove_prefix(word.size());
        return true;
    };
    if (!take("#") || !take("include")) return {};
    skip();
    if (line.empty() || (line[0] != '<' && line[0] != '"')) return {};
    const std::size_t end = line.find(line[0] == '<' ? '>' : '"', 1);
    if (end == std::string_view::npos || line.find_first_not_of(" \t\r", end + 1) != std::string_view::npos) return {};
    return std::string(line.substr(1, end - 1));
}

bool is_blank(const std::string& line) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    return begin == std::string::npos || (line.compare(begin, 2, "//") == 0 && !line.ends_with('\\'));
}

// It changes nothing in CUDA's own.
bool is_standard(const std::string& header) {
    return std::any_of(std::begin(standard_headers), std::end(standard_headers),
                       [&](const StandardHeader& h) { return header == h.name; });
}

bool is_half(const std::string& header) {
    return std::find(half_headers.begin(), half_headers.end(), header) != half_headers.end();
}

bool is_own(const std::string& line) {
    return line.starts_with("k.cu(") && std::isdigit(static_cast<unsigned char>(line[5]));
}

// An error in a header that the source misused, by the header's name below its folder; "": none.
std::string header_error(const std::string& line) {
    if (line.find("): error: ") == std::string::npos && line.find("): catastrophic error: ") == std::string::npos)
        return {};
    std::string text = line;
    for (const char* folder : {"/include/", "/cccl/"})
        if (const std::size_t at = text.find(folder); at != std::string::npos) text.erase(0, at + std::strlen(folder));
    return text.starts_with("/") ? std::string() : text + "\n";
}

bool tells_an_error(const std::string& log) {
    return log.find(" error") != std::string::npos || log.find(" fatal") != std::string::npos;
}

// A bracket that is never closed belongs to no line.
bool is_end_of_source(const std::string& line) { return line.starts_with("At end of source: error: "); }

bool is_assembler_error(const std::string& line) {
    return line.starts_with("ptxas ") &&
           (line.find(" error") != std::string::npos || line.find(" fatal") != std::string::npos);
}

}  // namespace

std::vector<std::string> leading_headers(const std::string& source) {
    std::vector<std::string> headers;
    std::istringstream lines(source);
    for (std::string line; std::getline(lines, line);) {
        if (is_blank(line)) continue;
        const std::string header = included(line);
        if (is_standard(header)) continue;
        if (!is_public(header) || headers.size() == most_headers) break;
        if (std::find(headers.begin(), headers.end(), header) == headers.end()) headers.push_back(header);
    }
    if (!headers.empty() && std::all_of(headers.begin(), headers.end(), is_half))
        return {half_headers.begin(), half_headers.end()};
    return headers;
}

std::string own_lines(const std::string& log) {
    constexpr std::size_t room = 4096;
    std::string kept, elsewhere;
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line) && kept.size() < room;)
        // as if it were not there
        if (is_own(line) || is_end_of_source(line) || is_assembler_error(line))
            kept += line.substr(0, line.rfind(": Permission denied")) + "\n";
        else if (elsewhere.empty()) elsewhere = header_error(line);
    if (!tells_an_error(kept)) kept = elsewhere + kept;  // warnings alone would hide it
    if (kept.size() > room) kept = kept.substr(0, room) + "...\n";
    return kept;
}

long spilled_bytes(const std::string& log, const std::string& kernel) {
    const std::string head = "Function properties for " + kernel + "\n";
    const std::size_t at = log.rfind(head);  // what the source itself had printed stands before
    if (at == std::string::npos) return -1;
    // "ptxas  .  0 bytes stack frame, 24 bytes spill stores, 24 bytes spill loads"
    const std::string line = log.substr(at + head.size(), 200);
    const std::size_t frame = line.find(" bytes stack frame, ");
    return frame == std::string::npos ? -1 : std::clamp(std::atol(line.c_str() + frame + 20), 0L, 1L << 30);
}

}  // namespace hone::cuda
