#include "price.hpp"
#include "hone/plugin.hpp"

namespace http {
namespace {

using nlohmann::json;

// `name` is the row's in TOML: provider.openai.price."gpt-5.4".
void check_row(const json& row, const std::string& file, const std::string& name) {
    if (!row.is_object())
        throw hone::Refused(file + ": " + name + " must be a table, not " + row.dump() + "; write [" + name +
                            "] and below it input and output");
    for (const auto& [key, value] : row.items()) {
        if (key != "input" && key != "cached" && key != "output")
            throw hone::Refused(file + ": " + name + " has no key \"" + key +
                                "\" (keys: input, cached, output; the name of a model stands in quotes)");
        if (!value.is_number() || value < 0)
            throw hone::Refused(file + ": " + name + "." + key +
                                " must be a number of US dollars per million tokens, 0 or above, not " + value.dump());
    }
    for (const char* key : {"input", "output"})
        if (!row.contains(key))
            throw hone::Refused(file + ": " + name + " lacks " + key +
                                "; give input and output, in US dollars per million tokens");
}

}  // namespace

Price price_of(const json& table, const std::string& file, const std::string& provider, const std::string& model) {
    const auto prices = table.find("price");
    if (prices == table.end()) return {};
    const std::string all = "provider." + provider + ".price";
    const auto name = [&](const std::string& one) { return all + ".\"" + one + "\""; };
    if (!prices->is_object())
        throw hone::Refused(file + ": " + all + " must be a table of models, not " + prices->dump() + "; write [" +
                            name(model) + "] and below it input and output");
    for (const auto& [one, row] : prices->items()) check_row(row, file, name(one));
    if (!prices->contains(model)) return {};
    const json& row = (*prices)[model];
    constexpr double million = 1e6;
    const double input = row["input"], output = row["output"];
    return {true, input / million, row.value("cached", input) / million, output / million};
}

}  // namespace http
