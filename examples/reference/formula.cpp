// A reference outside hone's tree: it runs definitions that are one formula over the elements of their inputs,
//     reference = function(a, b) return array.map(function(x, y) return (x + y) / 2 end, a, b) end
// and refuses all others. A reference for hardware hands the task to a compiler or a library instead; what it must do
// is the same: one program for each form, of which "eager" is the baseline and "float64" the truth.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <hone/plugin.hpp>
#include <vector>

struct Step {
    char what;  // 'i': push an input, 'n': push a number, else the operator
    size_t input = 0;
    double number = 0;
};

// Reads a definition into steps in postfix order.
class Reader {
public:
    explicit Reader(const std::string& definition) : text_(definition) {}

    std::vector<Step> read() {
        const std::vector<std::string> inputs = names_after("function(");
        const std::vector<std::string> locals = names_after("array.map(function(");
        expect("return");
        sum();
        expect("end");
        expect(",");
        const std::vector<std::string> given = names();
        for (Step& step : steps_) {
            if (step.what != 'i') continue;
            const auto at = std::find(locals.begin(), locals.end(), names_[step.input]) - locals.begin();
            const auto input = at < static_cast<long>(given.size()) ? given[static_cast<size_t>(at)] : "";
            step.input = static_cast<size_t>(std::find(inputs.begin(), inputs.end(), input) - inputs.begin());
            if (step.input == inputs.size()) refuse();
        }
        return steps_;
    }

private:
    [[noreturn]] static void refuse() {
        throw hone::Refused("the definition is no array.map of one formula with + - * / and numbers");
    }
    std::vector<std::string> names_after(const std::string& mark) {
        const size_t found = text_.find(mark);
        if (found == std::string::npos) refuse();
        at_ = found + mark.size();
        return names();
    }
    std::vector<std::string> names() {  // up to the closing bracket
        std::vector<std::string> all;
        do all.push_back(word());
        while (accept(","));
        expect(")");
        return all;
    }
    void sum() {
        product();
        for (char c; (c = one_of("+-")); steps_.push_back({c})) product();
    }
    void product() {
        value();
        for (char c; (c = one_of("*/")); steps_.push_back({c})) value();
    }
    void value() {
        if (accept("(")) return sum(), expect(")");
        if (accept("-")) return steps_.push_back({'n'}), value(), steps_.push_back({'-'});
        skip();
        Step number{'n'};
        const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number.number);
        if (error == std::errc()) return at_ = static_cast<size_t>(end - text_.data()), steps_.push_back(number);
        names_.push_back(word());
        steps_.push_back({'i', names_.size() - 1});
    }
    std::string word() {
        skip();
        const size_t begin = at_;
        while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) ++at_;
        if (at_ == begin) refuse();
        return text_.substr(begin, at_ - begin);
    }
    void skip() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    }
    bool accept(const std::string& wanted) {
        skip();
        const bool there = text_.compare(at_, wanted.size(), wanted) == 0;
        if (there) at_ += wanted.size();
        return there;
    }
    char one_of(const char* marks) {
        skip();
        return at_ < text_.size() && std::strchr(marks, text_[at_]) ? text_[at_++] : '\0';
    }
    void expect(const std::string& wanted) {
        if (!accept(wanted)) refuse();
    }

    const std::string text_;
    size_t at_ = 0;
    std::vector<Step> steps_;
    std::vector<std::string> names_;  // of the locals that the steps push
};

struct Loaded : hone::LoadedReference {  // a definition in one form
    explicit Loaded(std::vector<Step> steps) : steps(std::move(steps)) {}

    // In the form "float64" the judge gives tensors of doubles: the formula is then computed in doubles.
    void launch(const hone_call& call) override {
        if (call.out[0].dtype == HONE_F64) compute<double>(call);
        else compute<float>(call);
    }
    template <class T> void compute(const hone_call& call) const {
        const hone_tensor& out = call.out[0];
        long elements = 1;
        for (int i = 0; i < out.rank; ++i) elements *= out.shape[i];
        std::vector<T> stack;
        for (long e = 0; e < elements; ++e) {
            for (const Step& step : steps) {
                if (step.what == 'n') stack.push_back(static_cast<T>(step.number));
                else if (step.what == 'i') stack.push_back(reinterpret_cast<const T*>(call.in[step.input].at)[e]);
                else apply(step.what, stack);
            }
            reinterpret_cast<T*>(out.at)[e] = stack.back();
            stack.clear();
        }
    }
    template <class T> static void apply(char what, std::vector<T>& stack) {
        const T right = stack.back();
        stack.pop_back();
        T& left = stack.back();
        left = what == '+' ? left + right : what == '-' ? left - right : what == '*' ? left * right : left / right;
    }
    const std::vector<Step> steps;
};

struct Formula : hone::ReferencePart {
    using Program = Loaded;
    Formula(hone::Host, hone::Doc) {}

    // Failed: there is no such form here, and the judge tries another. Refused: nobody can run this definition.
    std::unique_ptr<Loaded> open(const hone_device& device, hone::Doc task, std::string_view form) const {
        if (form != "eager" && form != "float64") throw hone::Failed("there is no such form");
        if (std::string_view(device.kind) != "cpu") throw hone::Failed("it runs on the host alone");
        for (long i = 0; i < task.count("inputs"); ++i)
            if (task.text("inputs." + std::to_string(i) + ".dtype") != "f32") throw hone::Refused("inputs are f32");
        if (task.count("outputs") != 1) throw hone::Refused("it has one output");
        const std::string definition = task.text("definition");
        return std::make_unique<Loaded>(Reader(definition.empty() ? task.text("source") : definition).read());
    }
    void facts(hone::Out out) override { out.text("library", "none: formulas are interpreted"); }
};
HONE_REFERENCE(Formula, "formula", "1.0", "definitions that are one formula over elements, on the host")
