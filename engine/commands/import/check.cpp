#include "commands/import/check.hpp"
#include <algorithm>
#include <cstdio>
#include "base/available_memory.hpp"
#include "base/quantity.hpp"
#include "commands/import/answers.hpp"
#include "judge/correctness/inputs.hpp"
#include "lint/float64_answer.hpp"
#include "lint/lint.hpp"

namespace hone {
namespace {

constexpr std::uint64_t key = 0x1a9;
constexpr double most_error = 1e-6;  // operators in another order differ by 1e-12, another operator by 1e-3
// a number of the inputs in this process (its dtype and float64) and in the other one (its dtype, twice, and float64)
constexpr double bytes_a_number = 28, share_of_memory = 0.7;
constexpr double little = 1;  // seconds of a reference's answer
constexpr double lint_seconds = 120, answers_a_lint = 300, answers_an_input = 60;

double needed_bytes(const Layout& layout) {
    double numbers = 0;
    for (const auto* side : {&layout.inputs(), &layout.outputs()})
        for (const TensorSpec& spec : *side) numbers += static_cast<double>(spec.elements());
    return bytes_a_number * numbers;
}

std::string shape_text(const Task& task) {
    if (task.sizes.empty()) return "its only shape";
    std::string text;
    for (const std::string& size : task.sizes)
        text += (text.empty() ? "" : ", ") + size + " = " + std::to_string(task.shape.at(size));
    return text;
}

class Check {
public:
    Check(ImportProgram& program, const Recipe& reference) : program_(program), reference_(reference) {}

    void compare_at(Task task, const Shape& shape) {
        task.shape = shape;
        const Layout layout(task, shape, 0);
        const double needed = needed_bytes(layout);
        if (needed > share_of_memory * available_memory())
            return end("unchecked", "both programs need " + engineering(needed, "B") + " of memory at " +
                                        shape_text(task) + ", and may take " +
                                        engineering(share_of_memory * available_memory(), "B") + " of " +
                                        engineering(available_memory(), "B") + " that are free; smaller sizes: --set");
        const std::vector<Input> inputs = make_inputs(task, layout.inputs(), key, Variant::declared);
        std::vector<std::string> bytes;
        for (std::size_t i = 0; i < inputs.size(); ++i)
            bytes.push_back(input_bytes(layout.inputs()[i], inputs[i], key, static_cast<std::uint32_t>(i)));
        const Json reply = module_answers(program_, folder_, layout, bytes);
        if (reply.contains("refused"))
            return end("differs", "at " + shape_text(task) + ": " + reply.at("reason").get<std::string>());
        const double begun = monotonic_seconds();
        ReferenceProgram program = reference_.open(host_, task, "float64");
        const Numbers got = answer_in_float64(program, layout, bytes);
        seconds_ = std::max(seconds_, monotonic_seconds() - begun);
        compare(task, layout, got, reply.at("outputs"));
    }

    bool ended() const { return !result.status.empty(); }
    void end(const std::string& status, const std::string& reason) { result.status = status, result.reason = reason; }
    double seconds() const { return seconds_; }  // of the slower answer
    ImportCheck result;

private:
    void compare(const Task& task, const Layout& layout, const Numbers& got, const Json& files) {
        if (files.size() != got.size())
            return end("differs", "the module has " + std::to_string(files.size()) + " outputs, the task " +
                                      std::to_string(got.size()));
        for (std::size_t i = 0; i < got.size(); ++i) {
            const std::optional<double> error = error_against(files[i].get<std::string>(), got[i]);
            if (!error && result.shapes.empty())
                return end("differs", "every element of output \"" + layout.outputs()[i].name +
                                          "\" is NaN or infinite at " + shape_text(task) + ": nothing can be compared");
            if (!error) continue;  // of a small shape: a row without an element that a mask leaves
            result.worst = std::max(result.worst, *error);
            if (!(*error <= most_error))
                return end("differs", "output \"" + layout.outputs()[i].name + "\" differs from the module's at " +
                                          shape_text(task) + likely_cause());
        }
        result.shapes.push_back(shape_text(task));
    }

    // Of a difference: at the shape of the export all is well, so its operators are not those of every shape.
    std::string likely_cause() const {
        if (result.shapes.empty()) return "";
        return ", and agrees at " + result.shapes.front() +
               ": forward likely branches on a shape, of which an export keeps one branch; write a Model that has this "
               "branch alone";
    }

    static constexpr hone_device host_{sizeof(hone_device), "cpu", 0, nullptr, nullptr};
    ImportProgram& program_;
    Reference reference_;
    ImportFolder folder_;
    double seconds_ = 0;
};

// The reference may refuse what the module does not: then the task is not the module.
void compare(Check& check, const std::vector<Task>& instances) {
    const Task& last = instances.back();
    try {
        check.compare_at(last, last.shape);
        // the smallest, where all sizes are often equal, and where that costs little another, where they are not
        for (std::size_t i = 0; i < std::min<std::size_t>(last.hidden.size(), 2); ++i)
            if (!check.ended() && (i == 0 || check.seconds() < little)) check.compare_at(last, last.hidden[i]);
    } catch (const PartFailed& error) {
        check.end("differs", error.what());
    }
    if (!check.ended()) check.end("agrees", "");
}

void ask_linter(Check& check, const Task& task, const Recipe& reference) {
    const double answers = answers_a_lint + answers_an_input * static_cast<double>(task.inputs.size());
    if (check.seconds() * answers > lint_seconds) return;
    const LintResult found = lint(task, reference);
    check.result.linted = true;
    check.result.lint = found.notes;
    if (!found.reasons.empty()) check.end("flawed", found.reasons.front());
}

}  // namespace

ImportCheck check_import(ImportProgram& program, const std::vector<Task>& instances, const Recipe& reference,
                         bool with_lint) {
    Check check(program, reference);
    compare(check, instances);
    if (with_lint && check.result.status == "agrees") ask_linter(check, instances.back(), reference);
    return std::move(check.result);
}

}  // namespace hone
