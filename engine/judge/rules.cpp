#include "judge/rules.hpp"
#include <utility>
#include <vector>
#include "judge/truth.hpp"

namespace hone {
namespace {

std::string listed(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
    return text;
}

std::string sizes_text(const Task& task) {
    std::vector<std::string> bounds;
    for (const auto& [size, step] : task.doc.at("multiples").items())
        if (step != 1) bounds.push_back(size + " is a multiple of " + step.dump());
    const Json ranges = task.doc.value("ranges", Json::object());
    for (const auto& [size, range] : ranges.items()) bounds.push_back(size + " is from " + range[0].dump() + " to " + range[1].dump());
    return "Sizes may be any: some are drawn anew for each judging, far beyond those that are timed" + (bounds.empty() ? "" : "; " + listed(bounds)) + ". ";
}

bool is_bound(const Json& input) { return input.value("strict", false) || input.value("law", "").starts_with("index"); }

std::string values_text(const Task& task) {
    std::vector<std::string> bound, kinds, absent;
    for (const Json& input : task.doc.at("inputs"))
        if (is_bound(input)) bound.push_back(input.at("name").get<std::string>() + " as " + input.at("law").get<std::string>());
    for (const auto& [kind, name] : {std::pair("nan", "NaN"), std::pair("inf", "infinities")}) (leaves_out(task, kind) ? absent : kinds).emplace_back(name);
    const bool all_bound = bound.size() == task.doc.at("inputs").size();
    std::string text = (all_bound ? "Values are those of the laws above" : "Values may be any" + (bound.empty() ? "" : ", but for " + listed(bound))) + std::string(". ");
    if (all_bound || kinds.empty()) return text;
    return text + "Where inputs hold " + listed(kinds) +
           ", outputs are NaN or infinite in exactly the elements in which the definition is: a program that mixes elements before it multiplies (Strassen), or "
           "that corrects sums without a look at infinities (Kahan), is refused there. " + (absent.empty() ? "" : "No input holds " + listed(absent) + ". ");
}

std::string precision_text(const Task& task) {
    const std::string name = tolerance_class(task);
    const std::string sums = name == "f32" || name == "f64" ? ", as sums in any order make them" : "";
    return "Errors may be those of " + name + " arithmetic" + sums + ", relative to the values around an element. ";
}

}  // namespace

std::string rules_of(const Task& task) {
    return sizes_text(task) + values_text(task) + precision_text(task) +
           (must_repeat(task) ? "The same inputs give the same bits: the order of a sum must not depend on which thread comes first." : "");
}

}  // namespace hone
