// Filters that give a text or a number.
#include <charconv>
#include <cmath>
#include <cstdio>
#include "torch_lm/text/jinja/library/find_native.hpp"
#include "torch_lm/text/jinja/library/strings.hpp"
#include "torch_lm/text/jinja/values/print.hpp"

namespace hone::lm::jinja {
namespace {

template <Text (*change)(Budget&, const Text&)> Value case_filter(Run& run, const Value& self, const Given&) {
    return make_text(run.budget, change(run.budget, to_text(run.budget, self)));
}
Text title_of(Budget& budget, const Text& text) { return title(budget, text, true); }

Value as_text(Run& run, const Value& self, const Given&) {
    return self.text() ? self : make_text(run.budget, to_text(run.budget, self));
}

Value trim(Run& run, const Value& self, const Given& given) {
    const Text text = to_text(run.budget, self);
    run.budget.charge(text.size() * (1 + (given.text(0) ? given.text(0)->size() : 0)));
    return make_text(run.budget, strip(text, given.text(0), Side::both));
}

Value replace_filter(Run& run, const Value& self, const Given& given) {
    return make_text(run.budget, replace(run.budget, to_text(run.budget, self), to_text(run.budget, *given.at(0)),
                                         to_text(run.budget, *given.at(1)), given.whole(2, -1)));
}

// A white-space prefix: a text, or a number of spaces.
Text indentation(const Given& given, std::size_t i, std::int64_t absent) {
    if (given.at(i) && given.at(i)->text()) return *given.at(i)->text();
    const std::int64_t width = given.whole(i, absent);
    if (width > 1000) throw Fault("an indentation of more than 1000 spaces; indent less");
    return Text(std::string(static_cast<std::size_t>(std::max<std::int64_t>(0, width)), ' '));
}

Value indent(Run& run, const Value& self, const Given& given) {
    const Text prefix = indentation(given, 0, 4);
    const bool blank_too = given.flag(2, false);
    Text text, ended = to_text(run.budget, self);
    ended.append("\n", by_template);
    const std::vector<Text> lines = split_lines(run.budget, ended);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (i > 0) text.append("\n", by_template);
        if (i == 0 ? given.flag(1, false) : blank_too || lines[i].size()) extend(run.budget, text, prefix);
        extend(run.budget, text, lines[i]);
    }
    return make_text(run.budget, std::move(text));
}

Value escape(Run& run, const Value& self, const Given&) {
    static const std::pair<const char*, const char*> codes[] = {
        {"&", "&amp;"}, {">", "&gt;"}, {"<", "&lt;"}, {"'", "&#39;"}, {"\"", "&#34;"}};
    Text text = to_text(run.budget, self);
    for (const auto& [plain, code] : codes) text = replace(run.budget, text, Text(plain), Text(code), -1);
    return make_text(run.budget, std::move(text));
}

Value tojson(Run& run, const Value& self, const Given& given) {
    JsonForm form;
    form.ascii = given.flag(0, false);
    form.indents = given.at(1) && !given.at(1)->is<None>();
    if (form.indents) {
        form.indent = indentation(given, 1, 0).bytes();
        form.item_separator = ",";
    }
    if (given.at(2) && !given.at(2)->is<None>()) {
        const std::vector<Value> both = elements(run.budget, *given.at(2));
        if (both.size() != 2 || !both[0].text() || !both[1].text())
            throw Fault("the separators of tojson are two texts: (\", \", \": \"); give both");
        form.item_separator = both[0].text()->bytes();
        form.key_separator = both[1].text()->bytes();
    }
    form.sorted = given.flag(3, false);
    return make_text(run.budget, Text(to_json(run.budget, self, form), foreign_source(self)));
}

// Python's int(text, base) and float(text): white space around, a sign, single underscores between digits.
std::string number_text(const Text& from) {
    const std::string text = strip(from, nullptr, Side::both).bytes();
    std::string digits;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool inside = i > 0 && i + 1 < text.size() && std::isalnum(static_cast<unsigned char>(text[i - 1])) &&
                            std::isalnum(static_cast<unsigned char>(text[i + 1]));
        if (text[i] != '_' || !inside) digits += text[i];
    }
    const bool plus = digits.size() > 1 && digits[0] == '+' && digits[1] != '-' && digits[1] != '+';
    return plus ? digits.substr(1) : digits;
}

template <class Number, class... Form> bool read(const std::string& text, Number& number, Form... form) {
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number, form...);
    return error == std::errc() && stop == end && !text.empty();
}

Value to_whole(double real, const Value& otherwise) {
    return std::fabs(real) < 9e18 ? Value(static_cast<std::int64_t>(real)) : otherwise;
}

Value to_int(Run& run, const Value& self, const Given& given) {
    const Value otherwise = given.at(0) ? *given.at(0) : Value(std::int64_t{0});
    if (const Undefined* none = self.as<Undefined>()) throw Fault(*none->why + "; write |default(0) before |int");
    if (self.is<double>()) return to_whole(std::get<double>(self), otherwise);
    if (self.is_number()) return calculate(run.budget, "+", self, std::int64_t{0});
    if (!self.text()) return otherwise;
    const std::int64_t base = given.whole(1, 10);
    if (base < 2 || base > 36) throw Fault("numbers have a base from 2 to 36; give another");
    const std::string text = number_text(*self.text());
    std::int64_t whole = 0;
    double real = 0;
    if (read(text, whole, static_cast<int>(base))) return whole;
    return read(text, real) ? to_whole(real, otherwise) : otherwise;
}

Value to_float(Run&, const Value& self, const Given& given) {
    double real = 0;
    if (const Undefined* none = self.as<Undefined>()) throw Fault(*none->why + "; write |default(0) before |float");
    if (self.is_number()) return to_double(self);
    if (self.text() && read(number_text(*self.text()), real)) return real;
    return given.at(0) ? *given.at(0) : Value(0.0);
}

Value round_filter(Run&, const Value& self, const Given& given) {
    if (!self.is_number()) throw Fault("round takes a number, not " + type_of(self) + "; convert it with |float");
    const std::int64_t digits = given.whole(0, 0);
    if (digits < 0 || digits > 15) throw Fault("round keeps from 0 to 15 digits; give another number");
    const std::string method = given.text(1) ? given.text(1)->bytes() : "common";
    const double scale = std::pow(10.0, static_cast<double>(digits));
    if (method == "ceil") return std::ceil(to_double(self) * scale) / scale;
    if (method == "floor") return std::floor(to_double(self) * scale) / scale;
    if (method != "common") throw Fault("round knows the methods common, ceil and floor; name one of them");
    if (!self.is<double>() || !std::isfinite(to_double(self))) return self;
    char text[400];
    std::snprintf(text, sizeof text, "%.*f", static_cast<int>(digits), std::get<double>(self));
    return std::strtod(text, nullptr);
}

Value absolute(Run& run, const Value& self, const Given&) {
    if (self.is<double>()) return std::fabs(std::get<double>(self));
    return compare(self, std::int64_t{0}) < 0 ? negative(self) : calculate(run.budget, "+", self, std::int64_t{0});
}

constexpr Native text_filters[] = {
    {"upper", "", case_filter<upper>},
    {"lower", "", case_filter<lower>},
    {"capitalize", "", case_filter<capitalize>},
    {"title", "", case_filter<title_of>},
    {"string", "", as_text},
    {"safe", "", as_text},
    {"trim", "chars=", trim},
    {"replace", "old new count=", replace_filter},
    {"indent", "width= first= blank=", indent},
    {"escape", "", escape},
    {"e", "", escape},
    {"tojson", "ensure_ascii= indent= separators= sort_keys=", tojson},
    {"int", "default= base=", to_int},
    {"float", "default=", to_float},
    {"round", "precision= method=", round_filter},
    {"abs", "", absolute},
};

}  // namespace

const Native* find_text_filter(std::string_view name) { return find_native(text_filters, name); }

}  // namespace hone::lm::jinja
