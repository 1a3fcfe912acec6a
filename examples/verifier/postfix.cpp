// A verifier outside hone's tree, for a device that is quickly told: a calculator. A candidate is one formula in
// postfix order, such as "a b + 0.5 *", applied to each element of the inputs. The device is interpreted, so a
// candidate is data: it needs no jail, and its memory is this process's own (HostVerifierPart). A verifier for hardware
// differs in `open` (host.build runs its compiler in a sandbox), in `launch`, and in memory and checks of its own.
#include <algorithm>
#include <charconv>
#include <hone/plugin.hpp>
#include <map>
#include <sstream>
#include <vector>

struct Step {
    char what;  // 'i': push an input, 'n': push a number, else the operator
    size_t input = 0;
    float number = 0;
};
using Program = std::vector<Step>;

struct Formula : hone::LoadedCandidate {  // the subject: one candidate, built
    Program program;

    void launch(const hone_call& call) override {
        if (program.empty()) return;
        const hone_tensor& out = call.out[0];
        long elements = 1;
        for (int i = 0; i < out.rank; ++i) elements *= out.shape[i];
        for (long e = 0; e < elements; ++e) reinterpret_cast<float*>(out.at)[e] = evaluate(call, e);
    }
    bool wait(double, double& inside, hone::Out) override {  // launch has finished the work; the device cannot fail
        inside = NAN;
        return true;
    }

private:
    float evaluate(const hone_call& call, long e) const {
        std::vector<float> stack;
        for (const Step& step : program) {
            if (step.what == 'n') stack.push_back(step.number);
            else if (step.what == 'i') stack.push_back(reinterpret_cast<const float*>(call.in[step.input].at)[e]);
            else apply(step.what, stack);
        }
        return stack.back();
    }
    static void apply(char what, std::vector<float>& stack) {
        const float right = stack.back();
        stack.pop_back();
        float& left = stack.back();
        left = what == '+' ? left + right : what == '-' ? left - right : what == '*' ? left * right : left / right;
    }
};

struct Postfix : hone::HostVerifierPart {
    using Subject = Formula;
    Postfix(hone::Host, hone::Doc) {}

    void brief(hone::Doc task, hone::Out out) override {
        std::string names;
        for (long i = 0; i < task.count("inputs"); ++i)
            names += " " + task.text("inputs." + std::to_string(i) + ".name");
        out.text("text", "Write one formula in postfix order over the inputs" + names +
                             ", numbers, and + - * / ; it is applied to each element.");
        out.text("fences", "postfix");
        out.text("prototype", "a b +");
        out.text("empty", empty);  // its calls tell what the way to a program takes
        out.text("tier", "host");
    }
    hone_device device() override { return {sizeof(hone_device), "cpu", 0, nullptr, nullptr}; }

    std::unique_ptr<Formula> open(hone::Doc task, hone::Doc candidate, hone::Out facts) const {
        if (!element_wise(task)) return refuse(facts, "a formula is for f32 tensors that all have one shape");
        auto formula = std::make_unique<Formula>();
        if (candidate.text("code") == empty) return formula;
        std::istringstream words(candidate.text("code"));
        long depth = 0;
        for (std::string word; words >> word;) {
            const Step step = parse(word, task);
            depth += step.what == 'i' || step.what == 'n' ? 1 : -1;
            if (step.what == '?' || depth < 1)
                return refuse(facts, "\"" + word + "\" is no input, number or operator with two values before it");
            formula->program.push_back(step);
        }
        return depth == 1 ? std::move(formula)
                          : refuse(facts, "the formula leaves " + std::to_string(depth) + " values instead of one");
    }

    void facts(hone::Out out) override { out.text("product", "postfix calculator"); }

private:
    static constexpr const char* empty = "nothing";  // a program without steps, which writes no output
    // A candidate may be sent to any task: what this device cannot do is refused before it reads past a tensor.
    static bool element_wise(const hone::Doc& task) {
        for (long i = 0; i < task.count("inputs"); ++i) {
            const std::string input = "inputs." + std::to_string(i);
            if (task.text(input + ".dtype") != "f32") return false;
            if (task.count(input + ".shape") != task.count("outputs.0.shape")) return false;
            for (long d = 0; d < task.count("outputs.0.shape"); ++d) {
                const std::string size = ".shape." + std::to_string(d);
                if (task.text(input + size) != task.text("outputs.0" + size) ||
                    task.num(input + size, 0) != task.num("outputs.0" + size, 0))
                    return false;
            }
        }
        return task.count("outputs") == 1 && task.text("outputs.0.dtype") == "f32";
    }
    static Step parse(const std::string& word, const hone::Doc& task) {
        for (long i = 0; i < task.count("inputs"); ++i)
            if (task.text("inputs." + std::to_string(i) + ".name") == word) return {'i', static_cast<size_t>(i), 0};
        if (word.size() == 1 && std::strchr("+-*/", word[0])) return {word[0]};
        Step number{'n'};
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number.number);
        return error == std::errc() && end == word.data() + word.size() ? number : Step{'?'};
    }
    // a bad candidate is a verdict, not an error
    static std::unique_ptr<Formula> refuse(hone::Out facts, const std::string& reason) {
        facts.text("verdict", "COMPILE_ERROR");
        facts.text("reason", reason);
        return nullptr;
    }
};
HONE_VERIFIER(Postfix, "postfix", "1.0", "formulas in postfix order on an interpreted calculator")
