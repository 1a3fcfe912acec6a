// policies/http/price.hpp: what a model's tokens cost, as hone.toml says it.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace http {

struct Price {
    bool known = false;
    double input = 0, cached = 0, output = 0;  // US dollars a token
    double of(double tokens_in, double tokens_cached, double tokens_out) const {
        return (tokens_in - tokens_cached) * input + tokens_cached * cached + tokens_out * output;
    }
};

// By a provider's table; not known where that has no price of the model. The prices of all its models are checked:
// throws hone::Refused with file, key and cure.
Price price_of(const nlohmann::json& table, const std::string& file, const std::string& provider,
               const std::string& model);

}  // namespace http
