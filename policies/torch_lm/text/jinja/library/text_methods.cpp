// Methods of texts.
#include <algorithm>
#include "torch_lm/text/jinja/arguments.hpp"
#include "torch_lm/text/jinja/library/find_native.hpp"
#include "torch_lm/text/jinja/library/strings.hpp"
#include "torch_lm/text/jinja/values/unicode.hpp"

namespace hone::lm::jinja {
namespace {

template <Side side> Value strip_method(Run& run, const Value& self, const Given& given) {
    run.budget.charge(self.text()->size() * (1 + (given.text(0) ? given.text(0)->size() : 0)));
    return make_text(run.budget, strip(*self.text(), given.text(0), side));
}

template <bool from_right> Value split_method(Run& run, const Value& self, const Given& given) {
    return to_list(run.budget, split(run.budget, *self.text(), given.text(0), given.whole(1, -1), from_right));
}

Value lines_method(Run& run, const Value& self, const Given&) {
    return to_list(run.budget, split_lines(run.budget, *self.text()));
}

template <bool from_right> Value partition_method(Run& run, const Value& self, const Given& given) {
    const Text& text = *self.text();
    if (!given.text(0) || !given.text(0)->size()) throw Fault("a text is parted at a str that is not empty; give one");
    const std::vector<Cut> cuts = find_all(run.budget, text, *given.text(0), 1, from_right);
    const std::size_t none = from_right ? 0 : text.size();
    const Cut at = cuts.empty() ? Cut{none, none} : cuts[0];
    return to_list(run.budget, {text.slice(0, at.begin), text.slice(at.begin, at.end), text.slice(at.end, text.size())},
                   List::Kind::tuple);
}

bool has_end(const std::string& bytes, const Value& end, bool front) {
    if (end.list()) {
        const auto& all = end.list()->items;
        return std::any_of(all.begin(), all.end(), [&](const Value& one) { return has_end(bytes, one, front); });
    }
    if (!end.text())
        throw Fault("the beginning or end of a str is a str, not " + type_of(end) + "; convert it with |string");
    return front ? bytes.starts_with(end.text()->bytes()) : bytes.ends_with(end.text()->bytes());
}

template <bool front> Value has_end_method(Run& run, const Value& self, const Given& given) {
    run.budget.charge(weight(*given.at(0)));
    return has_end(self.text()->bytes(), *given.at(0), front);
}

template <bool front> Value remove_end_method(Run& run, const Value& self, const Given& given) {
    const Text& text = *self.text();
    if (!has_end(text.bytes(), *given.at(0), front) || !given.text(0)) return self;
    const std::size_t n = given.text(0)->size();
    return make_text(run.budget, front ? text.slice(n, text.size()) : text.slice(0, text.size() - n));
}

Value replace_method(Run& run, const Value& self, const Given& given) {
    if (!given.text(0) || !given.text(1)) throw Fault("replace takes two texts; give both");
    return make_text(run.budget, replace(run.budget, *self.text(), *given.text(0), *given.text(1), given.whole(2, -1)));
}

template <Text (*change)(Budget&, const Text&)> Value case_method(Run& run, const Value& self, const Given&) {
    return make_text(run.budget, change(run.budget, *self.text()));
}
Text title_of(Budget& budget, const Text& text) { return title(budget, text, false); }

template <bool from_right, bool must> Value find_method_of_text(Run& run, const Value& self, const Given& given) {
    if (!given.text(0)) throw Fault("a str is searched for a str; give one");
    const std::vector<Cut> cuts = find_all(run.budget, *self.text(), *given.text(0), 1, from_right);
    if (cuts.empty() && must) throw Fault("the text that index looks for does not occur; use find, which gives -1");
    if (cuts.empty()) return std::int64_t{-1};
    return static_cast<std::int64_t>(count_characters(std::string_view(self.text()->bytes()).substr(0, cuts[0].begin)));
}

Value count_method(Run& run, const Value& self, const Given& given) {
    if (!given.text(0)) throw Fault("a str is searched for a str; give one");
    return static_cast<std::int64_t>(find_all(run.budget, *self.text(), *given.text(0), -1, false).size());
}

Value join_method(Run& run, const Value& self, const Given& given) {
    std::vector<Text> parts;
    for (const Value& part : elements(run.budget, *given.at(0))) {
        if (!part.text()) throw Fault("join takes texts, not " + type_of(part) + "; use the filter |join");
        parts.push_back(*part.text());
    }
    return make_text(run.budget, join(run.budget, parts, *self.text()));
}

template <bool (*holds)(const Character&)> Value all_method(Run& run, const Value& self, const Given&) {
    const std::string& bytes = self.text()->bytes();
    run.budget.charge(bytes.size());
    for (std::size_t at = 0; at < bytes.size(); at += character_at(bytes, at).length)
        if (!holds(character_at(bytes, at))) return false;
    return !bytes.empty();
}
bool is_letter_or_digit(const Character& c) { return is_letter(c) || is_digit(c); }

constexpr Native of_texts[] = {
    {"strip", "chars=", strip_method<Side::both>},
    {"lstrip", "chars=", strip_method<Side::left>},
    {"rstrip", "chars=", strip_method<Side::right>},
    {"split", "sep= maxsplit=", split_method<false>},
    {"rsplit", "sep= maxsplit=", split_method<true>},
    {"splitlines", "", lines_method},
    {"partition", "sep", partition_method<false>},
    {"rpartition", "sep", partition_method<true>},
    {"startswith", "prefix", has_end_method<true>},
    {"endswith", "suffix", has_end_method<false>},
    {"removeprefix", "prefix", remove_end_method<true>},
    {"removesuffix", "suffix", remove_end_method<false>},
    {"replace", "old new count=", replace_method},
    {"upper", "", case_method<upper>},
    {"lower", "", case_method<lower>},
    {"capitalize", "", case_method<capitalize>},
    {"title", "", case_method<title_of>},
    {"find", "sub", find_method_of_text<false, false>},
    {"rfind", "sub", find_method_of_text<true, false>},
    {"index", "sub", find_method_of_text<false, true>},
    {"count", "sub", count_method},
    {"join", "iterable", join_method},
    {"isdigit", "", all_method<is_digit>},
    {"isalpha", "", all_method<is_letter>},
    {"isalnum", "", all_method<is_letter_or_digit>},
    {"isspace", "", all_method<is_space>},
};

}  // namespace

const Native* find_text_method(std::string_view name) { return find_native(of_texts, name); }

}  // namespace hone::lm::jinja
