#include "judge/correctness/rules.hpp"
#include <algorithm>
#include <utility>
#include <vector>
#include "base/printable.hpp"
#include "judge/correctness/drawn_shapes.hpp"
#include "judge/correctness/inputs.hpp"
#include "judge/correctness/truth.hpp"

namespace hone {
namespace {

std::string sizes_text(const Task& task) {
    std::vector<std::string> bounds;
    for (const auto& [size, step] : task.multiples)
        if (step != 1) bounds.push_back(size + " is a multiple of " + std::to_string(step));
    if (task.ranges)
        for (const auto& [size, range] : *task.ranges)
            bounds.push_back(size + " is from " + std::to_string(range[0]) + " to " + std::to_string(range[1]));
    const std::string far = long_sizes(task).empty() ? "" : ", far beyond those that are timed";
    return "Sizes may be any: some are drawn anew for each judging" + far +
           (bounds.empty() ? "" : "; " + listed(bounds)) + ". ";
}

std::string specials_text(const Task& task) {
    std::vector<std::string> kinds, absent;
    for (const auto& [kind, name] : {std::pair("nan", "NaN"), std::pair("inf", "infinities")})
        (leaves_out(task, kind) ? absent : kinds).emplace_back(name);
    std::string text;
    if (!kinds.empty())
        text = "Where inputs hold " + listed(kinds) +
               ", outputs are NaN or infinite in exactly the elements in which the definition is: a program that mixes "
               "elements before it multiplies (Strassen), "
               "splits them (three tf32 products) or corrects sums (Kahan) without a look at infinities is refused "
               "there. ";
    if (!leaves_out(task, "denormal"))
        text += "Numbers below the normal ones are numbers: flushed to zero, they give NaN beside an infinity. ";
    return text + (absent.empty() ? "" : "No input holds " + listed(absent) + ". ");
}

bool may_lie_far_from_zero(const Task& task) {
    const std::vector<Variant> all = variants(task);
    return std::find(all.begin(), all.end(), Variant::far) != all.end();
}

std::string values_text(const Task& task) {
    const std::vector<TensorSpec> inputs = tensors(task, "inputs", timed_shape(task));
    std::vector<std::string> bound;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (!may_vary(inputs[i])) bound.push_back(inputs[i].name + " as " + task.inputs[i].law.value_or(""));
    if (bound.size() == inputs.size()) return "Inputs are " + listed(bound) + ". ";
    const std::string far =
        may_lie_far_from_zero(task) ? ", also far from zero, where a variance as E[x^2] - m^2 has no digit left" : "";
    return "Values may be any" + far + (bound.empty() ? "" : ", but for " + listed(bound)) + ". " + specials_text(task);
}

std::string precision_text(const Task& task) {
    const std::string name = tolerance_class(task);
    const std::string sums = name == "f32" || name == "f64" ? ", as sums in any order make them" : "";
    return "Errors may be those of " + name + " arithmetic" + sums + ", relative to the values around an element. ";
}

}  // namespace

std::string rules_of(const Task& task) {
    return sizes_text(task) + values_text(task) + precision_text(task) +
           (must_repeat(task) ? "The same inputs give the same bits: the order of a sum must depend neither on which "
                                "thread comes first nor "
                                "on addresses."
                              : "");
}

}  // namespace hone
