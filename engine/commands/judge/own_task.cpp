#include "commands/judge/own_task.hpp"
#include "base/printable.hpp"
#include "base/progress.hpp"
#include "commands/judging.hpp"
#include "lint/lint.hpp"

namespace hone {
namespace {

constexpr std::int64_t linted_in_moments = 1 << 20;  // elements of all tensors

std::int64_t elements(const Task& task) {
    std::int64_t sum = 0;
    for (const char* side : {"inputs", "outputs"})
        for (const TensorSpec& one : tensors(task, side, timed_shape(task))) sum += one.elements();
    return sum;
}

}  // namespace

void tell_of_own_task(const Task& task) {
    if (!task.suite.empty()) return;
    if (elements(task) > linted_in_moments)
        return Progress::say("hone: `hone lint` tells within about a minute whether trivial programs pass task \"" +
                             task.name() + "\"");
    for (const std::string& reason : lint(task, lint_reference(task)).reasons)
        Progress::say("hone: `hone lint` refuses task \"" + task.name() + "\": " + printable(reason));
}

}  // namespace hone
