// policies/http/price.hpp: what a model's tokens cost, as hone.toml says it, else as hone's own table does.
#pragma once
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

namespace http {

struct Price {
    bool known = false;
    double input = 0, cached = 0, output = 0;  // US dollars a token
    // of a prompt with more tokens than that, for all of its tokens
    double long_above = std::numeric_limits<double>::infinity(), long_input = 0, long_output = 0;
    std::string source{};  // "hone.toml", "hone's table of July 2026"

    double of(double tokens_in, double tokens_cached, double tokens_out) const {
        const bool is_long = tokens_in > long_above;
        const double fresh = tokens_in - tokens_cached;
        if (is_long)
            return fresh * long_input + tokens_cached * long_input * (cached / input) + tokens_out * long_output;
        return fresh * input + tokens_cached * cached + tokens_out * output;
    }
    // However many of the tokens come out of a cache.
    double most(double tokens_in, double tokens_out) const {
        const bool is_long = tokens_in > long_above;
        return tokens_in * std::max({input, cached, is_long ? long_input : 0}) +
               tokens_out * std::max(output, is_long ? long_output : 0);
    }
};

// By a provider's table. The prices of all its models are checked: throws hone::Refused with file, key and cure.
Price price_of(const nlohmann::json& table, const std::string& file, const std::string& provider,
               const std::string& model);

}  // namespace http
