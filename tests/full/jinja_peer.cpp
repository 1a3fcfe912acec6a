// Renders templates as chat_templates.py asks: each line of the input is a JSON object with "template", "variables" and
// "now" (seconds since 1970); each line of the output one with "text", or with "error".
#include <iostream>
#include <nlohmann/json.hpp>
#include "torch_lm/text/jinja/template.hpp"

namespace {

using nlohmann::ordered_json;
using namespace hone::lm::jinja;

Value value_of(Budget& budget, const ordered_json& from) {
    if (from.is_boolean()) return from.get<bool>();
    if (from.is_number_integer()) return from.get<std::int64_t>();
    if (from.is_number()) return from.get<double>();
    if (from.is_string()) return make_text(budget, Text(from.get<std::string>()));
    if (from.is_array()) {
        std::vector<Value> items;
        for (const auto& item : from) items.push_back(value_of(budget, item));
        return make_list(budget, std::move(items));
    }
    if (!from.is_object()) return None{};
    std::vector<std::pair<Value, Value>> items;
    for (const auto& [key, item] : from.items())
        items.emplace_back(make_text(budget, Text(key)), value_of(budget, item));
    return make_dict(budget, std::move(items));
}

ordered_json answer(const ordered_json& request) {
    try {
        const Template parsed(request.at("template").get<std::string>(), "template", "cure");
        Budget budget(64 << 20);
        std::vector<std::pair<std::string, Value>> variables;
        for (const auto& [name, value] : request.at("variables").items())
            variables.emplace_back(name, value_of(budget, value));
        return {{"text", parsed.render(variables, request.at("now").get<std::time_t>()).bytes()}};
    } catch (const std::exception& e) {
        return {{"error", e.what()}};
    }
}

}  // namespace

int main() {
    for (std::string line; std::getline(std::cin, line);)
        std::cout << answer(ordered_json::parse(line)).dump(-1, ' ', false, ordered_json::error_handler_t::replace) << std::endl;
}
