#include "torch_lm/text/jinja/arguments.hpp"

namespace hone::lm::jinja {
namespace {

class Bound : public Object {
public:
    Bound(const Native& native, Value self) : native_(native), self_(std::move(self)) {}
    const char* type() const override { return "a function"; }
    bool is_callable() const override { return true; }
    Value call(Run& run, const Arguments& arguments) const override { return native_(run, self_, arguments); }

private:
    const Native& native_;
    Value self_;
};

std::vector<std::string_view> words(std::string_view text) {
    std::vector<std::string_view> all;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        all.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return all;
}

std::string wanted_text(std::string_view who, std::string_view parameters) {
    return std::string(who) + " takes (" + std::string(parameters) + "), where = marks what may be left out";
}

}  // namespace

Given::Given(std::string_view who, std::string_view parameters, const Arguments& arguments)
    : all(arguments), who_(who), parameters_(parameters) {
    if (parameters == "*") return;
    names_ = words(parameters);
    values_.resize(names_.size());
    if (arguments.positional.size() > names_.size())
        throw Fault(std::to_string(arguments.positional.size()) + " arguments are too many; " +
                    wanted_text(who, parameters));
    for (std::size_t i = 0; i < arguments.positional.size(); ++i) values_[i] = &arguments.positional[i];
    for (const auto& [name, value] : arguments.named) put(name, value);
    for (std::size_t i = 0; i < names_.size(); ++i)
        if (!values_[i] && !names_[i].ends_with('='))
            throw Fault("the argument " + std::string(names_[i]) + " is left out; " + wanted_text(who, parameters));
}

void Given::put(std::string_view parameter, const Value& value) {
    for (std::size_t i = 0; i < names_.size(); ++i)
        if (names_[i].substr(0, names_[i].find('=')) == parameter) {
            if (values_[i]) throw Fault("the argument " + std::string(parameter) + " is given twice; leave one out");
            values_[i] = &value;
            return;
        }
    throw Fault("the argument " + std::string(parameter) + " is not known; " + wanted_text(who_, parameters_));
}

void Given::refuse(std::size_t i, const char* wanted) const {
    throw Fault("the argument " + std::string(names_[i].substr(0, names_[i].find('='))) + " of " + std::string(who_) +
                " is a value of the type " + type_of(*values_[i]) + "; give " + wanted);
}

const Text* Given::text(std::size_t i) const {
    if (!values_[i] || values_[i]->is<None>()) return nullptr;
    if (!values_[i]->text()) refuse(i, "a str");
    return values_[i]->text();
}

std::int64_t Given::whole(std::size_t i, std::int64_t absent) const {
    if (!values_[i] || values_[i]->is<None>()) return absent;
    if (const bool* flag = values_[i]->as<bool>()) return *flag;
    if (!values_[i]->is<std::int64_t>()) refuse(i, "an int");
    return std::get<std::int64_t>(*values_[i]);
}

Value attribute_of(Run& run, const Value& value, std::string_view name) {
    if (const Native* method = find_method(value, name)) return as_value(*method, value);
    return item_of(run.budget, value, make_text(run.budget, Text(std::string(name))));
}

Value as_value(const Native& native, Value self) {
    return std::shared_ptr<Object>(std::make_shared<Bound>(native, std::move(self)));
}

}  // namespace hone::lm::jinja
