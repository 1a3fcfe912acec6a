#include "base/diff.hpp"
#include <algorithm>
#include <sstream>

namespace hone {
namespace {

constexpr std::size_t max_cells = 4'000'000;

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

using Lines = std::vector<std::string>;

// Lengths of the longest common subsequence of the tails a[i..], b[j..], in rows of b.size() + 1.
std::vector<std::size_t> tail_lengths(const Lines& a, const Lines& b) {
    const std::size_t width = b.size() + 1;
    std::vector<std::size_t> length((a.size() + 1) * width, 0);
    for (std::size_t i = a.size(); i-- > 0;)
        for (std::size_t j = b.size(); j-- > 0;)
            length[i * width + j] = a[i] == b[j] ? length[(i + 1) * width + j + 1] + 1
                                                 : std::max(length[(i + 1) * width + j], length[i * width + j + 1]);
    return length;
}

void append_middle(std::vector<DiffLine>& out, const Lines& a, const Lines& b) {
    const bool too_long = (a.size() + 1) * (b.size() + 1) > max_cells;
    const std::vector<std::size_t> length = too_long ? std::vector<std::size_t>() : tail_lengths(a, b);
    const auto at = [&](std::size_t i, std::size_t j) { return too_long ? 0 : length[i * (b.size() + 1) + j]; };
    for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
        if (!too_long && i < a.size() && j < b.size() && a[i] == b[j]) out.push_back({' ', a[i++]}), ++j;
        else if (i < a.size() && (j == b.size() || at(i + 1, j) >= at(i, j + 1))) out.push_back({'-', a[i++]});
        else out.push_back({'+', b[j++]});
    }
}

}  // namespace

std::vector<DiffLine> diff_lines(const std::string& from, const std::string& to) {
    const Lines a = lines_of(from), b = lines_of(to);
    const std::size_t least = std::min(a.size(), b.size());
    std::size_t head = 0, tail = 0;
    while (head < least && a[head] == b[head]) ++head;
    while (tail < least - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
    std::vector<DiffLine> out;
    for (std::size_t i = 0; i < head; ++i) out.push_back({' ', a[i]});
    const auto middle = [&](const Lines& lines) {
        return Lines(lines.begin() + static_cast<long>(head), lines.end() - static_cast<long>(tail));
    };
    append_middle(out, middle(a), middle(b));
    for (std::size_t i = a.size() - tail; i < a.size(); ++i) out.push_back({' ', a[i]});
    return out;
}

std::size_t changed_lines(const std::vector<DiffLine>& lines) {
    return static_cast<std::size_t>(
        std::count_if(lines.begin(), lines.end(), [](const DiffLine& line) { return line.mark != ' '; }));
}

std::string diff_text(const std::vector<DiffLine>& lines, std::size_t context) {
    std::vector<bool> shown(lines.size(), false);
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (lines[i].mark != ' ')
            for (std::size_t k = i < context ? 0 : i - context; k < std::min(lines.size(), i + context + 1); ++k)
                shown[k] = true;
    std::string text;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (shown[i]) text += std::string(1, lines[i].mark) + " " + lines[i].text + "\n";
        else if (i == 0 || shown[i - 1]) text += "  ...\n";
    }
    return text;
}

}  // namespace hone
