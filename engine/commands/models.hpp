// commands/models.hpp: who serves models, by the policies' word: rows of `hone models`.
#pragma once
#include "base/json.hpp"

namespace hone {

// [{policy, name, place, key, answers, said, models}]; ask: over the network.
Json list_models(bool ask);

}  // namespace hone
