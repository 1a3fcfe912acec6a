// lint/lint_sample.hpp: a task at its timed shape as the linter sees it: sets of inputs with truth from the judge's own
// PreparedTask, the definition for inputs of the linter's own, and the judge's comparison.
#pragma once
#include <string>
#include <vector>
#include "judge/call/prepared_task.hpp"
#include "lint/float64_answer.hpp"

namespace hone {

struct LintSet : SetName {
    std::vector<std::string> inputs;  // bytes, one text an input
    std::vector<FetchedTruth> truth;  // one an output
};

struct LintCase {
    LintSet set;
    std::size_t other;  // position of a case of the same distribution with another key
};

// A tensor's bytes, each element `value`.
std::string filled(const TensorSpec&, double value);

class LintSample {
public:
    LintSample(const Task&, const Recipe& reference);
    const Task& task() const { return prepared_.task(); }
    const Shape& shape() const { return shape_; }
    const std::vector<TensorSpec>& inputs() { return prepared_.layout(0).inputs(); }
    const std::vector<TensorSpec>& outputs() { return prepared_.layout(0).outputs(); }
    const std::vector<LintCase>& cases() const { return cases_; }  // those with inputs as declared first
    const LintCase& other(const LintCase& one) const { return cases_[one.other]; }
    PreparedTask& prepared() { return prepared_; }
    Numbers answer(const std::vector<std::string>& inputs);  // of the definition, in float64
    // The operators of the definition, where the reference can tell; and its answers without one of them (from 1). The
    // latter throws what a ReferenceProgram throws where that operator cannot be left out.
    std::vector<std::string> operators();
    ReferenceProgram without(std::size_t number) {
        return reference_.open(host_, task(), ("float64 without " + std::to_string(number)).c_str());
    }
    Numbers answer_of(ReferenceProgram& program, const LintCase& one) {
        return answer_in_float64(program, prepared_.layout(0), one.set.inputs);
    }
    // Whether the judge takes these numbers, rounded to its dtype, for that output.
    bool accepts(const LintCase&, std::size_t output, const std::vector<double>& numbers);

private:
    static constexpr hone_device host_{sizeof(hone_device), "cpu", 0, nullptr, nullptr};
    HostMemory memory_;  // nothing is ever opened in it
    Arena arena_{memory_};
    Reference reference_;
    PreparedTask prepared_;
    Shape shape_;
    std::vector<LintCase> cases_;
};

}  // namespace hone
