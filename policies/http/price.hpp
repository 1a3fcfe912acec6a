// policies/http/price.hpp: what a model's tokens cost, as hone.toml says it, else as hone's own table does.
#pragma once
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

namespace http {

struct Price {
    bool known = false;
    double input = 0, cached = 0, output = 0;  // US dollars a token; cached: that comes out of a cache
    double cache_write = 0;                    // that goes into one
    // of a prompt with more tokens than that, for all of its tokens
    double long_above = std::numeric_limits<double>::infinity(), long_input = 0, long_output = 0;
    std::string source{};  // "hone.toml", "hone's table of July 2026"
    bool is_own = false;   // of hone.toml: it holds also where a server tells a cost

    // tokens_cached and tokens_written are parts of tokens_in.
    double of(double tokens_in, double tokens_cached, double tokens_out, double tokens_written = 0) const {
        const bool is_long = tokens_in > long_above;
        return (tokens_in - tokens_cached - tokens_written) * in(input, is_long) + tokens_cached * in(cached, is_long) +
               tokens_written * in(cache_write, is_long) + tokens_out * (is_long ? long_output : output);
    }
    // However many of the tokens come out of a cache, or go into one.
    double most(double tokens_in, double tokens_out) const {
        const bool is_long = tokens_in > long_above;
        const double dearest = std::max({input, cached, cache_write});
        return tokens_in * std::max(dearest, in(dearest, is_long)) +
               tokens_out * std::max(output, is_long ? long_output : 0);
    }

private:
    // A price of a prompt's tokens; of a long prompt all change alike.
    double in(double price, bool is_long) const {
        return !is_long ? price : input > 0 ? price * (long_input / input) : long_input;
    }
};

// By a provider's table, else by hone's own. The prices of all models of the table are checked: throws hone::Refused
// with file, key and cure. cache_write: of a token that goes into a cache, by input, where no price is said.
Price price_of(const nlohmann::json& table, const std::string& file, const std::string& provider,
               const std::string& model, double cache_write);

}  // namespace http
