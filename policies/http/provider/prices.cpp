#include "http/provider/prices.hpp"

namespace http {
namespace {

constexpr const char* table_date = "July 2026";

// US dollars per million tokens, as the providers' pages had them then. Tokens out of a cache are counted as others
// are, where no price of them stands here: it is a tenth with most providers, so that a cost is told too high rather
// than too low.
constexpr struct {
    const char *provider, *model;
    double input, output;
    double long_above = 0, long_input = 0, long_output = 0, cached = -1;
} listed_prices[] = {
    {"openai", "gpt-5.5", 5, 30, 272'000, 10, 45},
    {"openai", "gpt-5.4", 2.5, 15},
    {"openai", "gpt-5.4-mini", 0.75, 4.5},
    {"anthropic", "claude-opus-5", 5, 25, 0, 0, 0, 0.5},
    {"gemini", "gemini-3.1-pro-preview", 2, 12, 200'000, 4, 18},
    {"gemini", "gemini-3.7-flash", 0.75, 3.75},
    {"deepseek", "deepseek-v4-flash", 0.14, 0.28},
    {"deepseek", "deepseek-v4-pro", 0.435, 0.87},
};

}  // namespace

// gpt-5.4-2026-03-05 and claude-opus-5-20260101; gpt-neox-20b is another model than gpt-neox.
bool is_dated(const std::string& model, const std::string& name) {
    if (model == name) return true;
    if (!model.starts_with(name + "-20")) return false;
    const std::string rest = model.substr(name.size() + 3);
    return rest.size() > 3 && rest.find_first_not_of("0123456789-") == std::string::npos;
}

Price listed_price(const std::string& provider, const std::string& model, double cache_write) {
    constexpr double million = 1e6;
    for (const auto& row : listed_prices) {
        if (provider != row.provider || !is_dated(model, row.model)) continue;
        Price price{true, row.input / million, (row.cached < 0 ? row.input : row.cached) / million,
                    row.output / million};
        price.cache_write = cache_write * price.input;
        if (row.long_above > 0) price.long_above = row.long_above;
        price.long_input = row.long_input / million;
        price.long_output = row.long_output / million;
        price.source = std::string("hone's table of ") + table_date;
        return price;
    }
    return {};
}

}  // namespace http
