#include "price.hpp"
#include <algorithm>
#include <iterator>
#include "hone/plugin.hpp"
#include "http/provider/prices.hpp"

namespace http {
namespace {

using nlohmann::json;

constexpr double million = 1e6;
constexpr const char* keys[] = {"input", "cached", "cache_write", "output", "long_above", "long_input", "long_output"};

Price price_in(const json& row, double cache_write) {
    const double input = row["input"], output = row["output"];
    Price price{true, input / million, row.value("cached", input) / million, output / million};
    price.cache_write = row.value("cache_write", input * cache_write) / million;
    price.long_above = row.value("long_above", price.long_above);
    price.long_input = row.value("long_input", input) / million;
    price.long_output = row.value("long_output", output) / million;
    return price;
}

// `name` is the row's in TOML: provider.openai.price."gpt-5.4".
void check_row(const json& row, const std::string& file, const std::string& name) {
    if (!row.is_object())
        throw hone::Refused(file + ": " + name + " must be a table, not " + row.dump() + "; write [" + name +
                            "] and below it input and output");
    for (const auto& [key, value] : row.items()) {
        if (std::find(std::begin(keys), std::end(keys), key) == std::end(keys))
            throw hone::Refused(
                file + ": " + name + " has no key \"" + key +
                "\" (keys: input, cached, cache_write, output, long_above, long_input, long_output; the "
                "name of a model stands in quotes)");
        if (!value.is_number() || value < 0)
            throw hone::Refused(file + ": " + name + "." + key +
                                (key == "long_above" ? " must be a number of tokens, 0 or above, not "
                                                     : " must be a number of US dollars per million tokens, 0 or "
                                                       "above, not ") +
                                value.dump());
    }
    for (const char* key : {"input", "output"})
        if (!row.contains(key))
            throw hone::Refused(file + ": " + name + " lacks " + key +
                                "; give input and output, in US dollars per million tokens");
    for (const char* key : {"long_input", "long_output"})
        if (row.contains(key) && !row.contains("long_above"))
            throw hone::Refused(
                file + ": " + name + " has " + key +
                " and lacks long_above; give with it the number of tokens above which a prompt is long");
}

}  // namespace

Price price_of(const json& table, const std::string& file, const std::string& provider, const std::string& model,
               double cache_write) {
    const auto prices = table.find("price");
    if (prices == table.end()) return listed_price(provider, model, cache_write);
    const std::string all = "provider." + provider + ".price";
    const auto name = [&](const std::string& one) { return all + ".\"" + one + "\""; };
    if (!prices->is_object())
        throw hone::Refused(file + ": " + all + " must be a table of models, not " + prices->dump() + "; write [" +
                            name(model) + "] and below it input and output");
    for (const auto& [one, row] : prices->items()) check_row(row, file, name(one));
    const json* own = nullptr;                      // the longest name that the model is called by
    for (const auto& [one, row] : prices->items())  // sorted: a longer one comes later
        if (is_dated(model, one)) own = &row;
    if (!own) return listed_price(provider, model, cache_write);
    Price price = price_in(*own, cache_write);
    price.source = "hone.toml";
    price.is_own = true;
    return price;
}

}  // namespace http
