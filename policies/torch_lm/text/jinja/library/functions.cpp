// Global functions: those of Jinja, and those that transformers adds.
#include "torch_lm/text/jinja/library/find_native.hpp"
#include "torch_lm/text/jinja/values/print.hpp"

namespace hone::lm::jinja {
namespace {

constexpr std::int64_t most_in_range = 100000;  // as Jinja's sandbox has it

Value raise_exception(Run& run, const Value&, const Given& given) {
    throw Fault("the template refuses these messages: \"" + to_text(run.budget, *given.at(0)).bytes().substr(0, 1000) +
                "\"; give it messages that it takes");
}

Value strftime_now(Run& run, const Value&, const Given& given) {
    if (!given.text(0)) throw Fault("strftime_now takes the form of a date; give it as a str such as \"%d %b %Y\"");
    const std::string form = given.text(0)->bytes() + " ";  // so that no date is empty
    std::tm parts{};
    ::localtime_r(&run.now, &parts);
    char date[1024];
    const std::size_t length = std::strftime(date, sizeof date, form.c_str(), &parts);
    if (length == 0) throw Fault("the date of strftime_now has more than 1000 bytes; ask for a shorter one");
    return make_text(run.budget, Text(std::string(date, length - 1)));
}

Value range(Run& run, const Value&, const Given& given) {
    const bool one = !given.at(1);
    const std::int64_t begin = one ? 0 : given.whole(0, 0), end = given.whole(one ? 0 : 1, 0), step = given.whole(2, 1);
    if (step == 0) throw Fault("range has the step 0; give another");
    std::vector<Value> all;
    for (std::int64_t at = begin; step > 0 ? at < end : at > end;) {
        if (static_cast<std::int64_t>(all.size()) >= most_in_range)
            throw Fault("range gives more than 100000 numbers; ask for fewer");
        all.emplace_back(at);
        if (__builtin_add_overflow(at, step, &at)) break;
    }
    return make_list(run.budget, std::move(all));
}

// What dict and namespace are given: a dict or pairs, then names with values.
std::vector<std::pair<Value, Value>> entries(Run& run, const Given& given) {
    std::vector<std::pair<Value, Value>> all;
    if (given.all.positional.size() > 1) throw Fault("dict and namespace take one value and names; give fewer values");
    for (const Value& from : given.all.positional) {
        if (const Dict* dict = from.dict()) all = dict->items;
        else
            for (const Value& pair : elements(run.budget, from)) {
                const std::vector<Value> both = elements(run.budget, pair);
                if (both.size() != 2) throw Fault("dict takes pairs of a key and a value; give two of each");
                all.emplace_back(both[0], both[1]);
            }
    }
    for (const auto& [name, value] : given.all.named)
        all.emplace_back(make_text(run.budget, Text(std::string(name))), value);
    return all;
}

Value dict(Run& run, const Value&, const Given& given) { return make_dict(run.budget, entries(run, given)); }

Value make_namespace(Run& run, const Value&, const Given& given) {
    auto space = std::make_shared<Namespace>();
    for (const auto& [key, value] : entries(run, given)) space->set(to_text(run.budget, key).bytes(), value);
    return std::shared_ptr<Object>(std::move(space));
}

constexpr Native functions[] = {
    {"raise_exception", "message", raise_exception},
    {"strftime_now", "format", strftime_now},
    {"range", "start stop= step=", range},
    {"namespace", "*", make_namespace},
    {"dict", "*", dict},
};

}  // namespace

const Native* find_function(std::string_view name) { return find_native(functions, name); }

}  // namespace hone::lm::jinja
