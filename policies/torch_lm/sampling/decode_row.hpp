// decode_row.hpp: one answer's next step.
#pragma once
#include <cstdint>
#include "torch_lm/model/kv_cache.hpp"
#include "torch_lm/sampling/token_draw.hpp"

namespace hone::lm {

struct DecodeRow {
    std::int32_t token, position;  // the token behind its prompt and answer so far
    const KvCache::Stretch* prompt;
    const KvCache::Stretch* answer;  // has room for the token, which goes to its end, and for those that are drawn
    DrawRule rule;                   // for the tokens behind it
    const double* uniforms;          // [tokens drawn at once]
};

}  // namespace hone::lm
