// base/diff.hpp: how one text became another, line by line (longest common subsequence).
#pragma once
#include <string>
#include <vector>

namespace hone {

struct DiffLine {
    char mark;  // ' ' in both, '-' only in the first, '+' only in the second
    std::string text;
    bool operator==(const DiffLine&) const = default;
};

// Texts that differ in more than some two thousand lines are told as removed and added whole.
std::vector<DiffLine> diff_lines(const std::string& from, const std::string& to);
std::size_t changed_lines(const std::vector<DiffLine>&);
// As text, with `context` unchanged lines around each change; "..." stands for the others.
std::string diff_text(const std::vector<DiffLine>&, std::size_t context = 3);

}  // namespace hone
