#include "verifier_cuda/plan/plan_fields.hpp"
#include <algorithm>
#include <cmath>
#include <optional>

namespace hone::cuda {
namespace {

bool is_position(const std::string& key) { return !key.empty() && key[0] >= '0' && key[0] <= '9'; }

// Lua's 4096 / 2 is a float: taken where it is whole.
std::optional<std::int64_t> whole(const Json& value) {
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) return std::nullopt;
    if (value.is_number_integer()) return value.get<std::int64_t>();
    if (!value.is_number_float()) return std::nullopt;
    const double x = value.get<double>();
    if (!(std::fabs(x) < 9e15) || x != std::floor(x)) return std::nullopt;
    return static_cast<std::int64_t>(x);
}

}  // namespace

Field Field::at(const std::string& name) const {
    if (!is_table()) refuse("must be a table");
    const auto found = value_->find(name);
    if (found == value_->end()) refuse(name + " is missing");
    return {*found, joined(name)};
}

std::size_t Field::count() const {
    if (!is_table()) refuse("must be a table");
    const auto positions = std::count_if(value_->items().begin(), value_->items().end(),
                                         [](const auto& item) { return is_position(item.key()); });
    const auto n = static_cast<std::size_t>(positions);
    for (std::size_t i = 1; i <= n; ++i)
        if (!value_->contains(std::to_string(i)))
            refuse("its list has a hole: there is no element " + std::to_string(i));
    return n;
}

Field Field::element(std::size_t i) const { return {value_->at(std::to_string(i + 1)), joined(std::to_string(i + 1))}; }

std::vector<std::pair<std::string, Field>> Field::named() const {
    if (!is_table()) refuse("must be a table");
    std::vector<std::pair<std::string, Field>> fields;
    for (const auto& [key, value] : value_->items())
        if (!is_position(key)) fields.emplace_back(key, Field(value, joined(key)));
    return fields;
}

void Field::only(std::initializer_list<const char*> names) const {
    for (const auto& [key, field] : named())
        if (std::find(names.begin(), names.end(), key) == names.end())
            refuse("there is no field \"" + key.substr(0, 40) + "\"" +
                   (names.size() ? "; there are: " + listed({names.begin(), names.end()}) : ""));
}

std::int64_t Field::integer(std::int64_t least, std::int64_t most) const {
    const std::optional<std::int64_t> number = whole(*value_);
    const std::string wanted = "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most);
    if (!number) refuse(wanted);
    if (*number < least || *number > most) refuse(wanted + ", is " + std::to_string(*number));
    return *number;
}

const std::string& Field::text() const {
    if (!is_text()) refuse("must be a text");
    return value_->get_ref<const std::string&>();
}

bool Field::flag(const char* name) const {
    if (!has(name)) return false;
    const Field field = at(name);
    if (!field.value().is_boolean()) field.refuse("must be true or false");
    return field.value().get<bool>();
}

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

}  // namespace hone::cuda
