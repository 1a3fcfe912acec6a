#include "listing.hpp"
#include <algorithm>
#include <cstddef>

namespace hone::cpp {
namespace {

struct Counts {
    std::size_t all = 0, zmm = 0, ymm = 0, xmm = 0;
};

bool has(std::string_view line, std::string_view part) { return line.find(part) != std::string_view::npos; }

// Single numbers lie in the same registers: "mulss", "cvtsi2sdl", "movd". What only moves or clears is no work.
bool is_packed(std::string_view name) {
    if (name.starts_with('v')) name.remove_prefix(1);
    for (const char* idle : {"mov", "xor", "pxor", "cvtsi", "ucomis", "comis"})
        if (name.starts_with(idle)) return false;
    return name.ends_with("ps") || name.ends_with("pd") || name.starts_with('p');
}

// A line "\tvaddps\t(%rdi), %zmm0, %zmm0"; directives begin with a point.
void count(std::string_view line, Counts& counts) {
    if (line.size() < 2 || line[0] != '\t' || line[1] < 'a' || line[1] > 'z') return;
    const std::string_view name = line.substr(1, line.find_first_of("\t ", 1) - 1);
    ++counts.all;
    if (has(line, "%zmm")) ++counts.zmm;
    else if (has(line, "%ymm")) ++counts.ymm;
    else if (has(line, "%xmm") && is_packed(name)) ++counts.xmm;
}

std::string share(const char* width, std::size_t part, std::size_t all) {
    return std::string(width) + "-bit vectors in " + std::to_string(part) + " of " + std::to_string(all) +
           " instructions";
}

}  // namespace

std::string vectors_in(std::string_view listing) {
    Counts counts;
    bool own = false, x86 = false;
    for (std::size_t at = 0; at < listing.size();) {
        const std::size_t end = std::min(listing.find('\n', at), listing.size());
        const std::string_view line = listing.substr(at, end - at);
        at = end + 1;
        const bool label = !line.empty() && line[0] != '\t' && line[0] != '.' && line[0] != '#' && has(line, ":");
        if (label) own = !line.starts_with("hone_thunk");
        x86 = x86 || has(line, "%rsp") || has(line, "%rdi");
        if (own) count(line, counts);
    }
    if (!x86 || counts.all == 0) return "";
    if (counts.zmm) return share("512", counts.zmm, counts.all);
    if (counts.ymm) return share("256", counts.ymm, counts.all);
    if (counts.xmm) return share("128", counts.xmm, counts.all);
    return "no vectors in " + std::to_string(counts.all) + " instructions";
}

}  // namespace hone::cpp
