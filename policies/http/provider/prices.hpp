// policies/http/provider/prices.hpp: prices that come with hone.
#pragma once
#include <string>
#include "http/price.hpp"

namespace http {

// Whether a model is called so, or so with a date behind the name: gpt-5.4-2026-03-05, gpt-5.4-20260305.
bool is_dated(const std::string& model, const std::string& name);

// Of a model by its name, or of a dated one (gpt-5.4-2026-03-05); not known where the table has none.
Price listed_price(const std::string& provider, const std::string& model, double cache_write);

}  // namespace http
