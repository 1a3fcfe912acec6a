// store/pack.hpp: long lists of numbers as little-endian bytes. A list is packed only if unpacking gives the very same
// JSON again, so that a resumed run reads what the first one wrote, bit for bit.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include "base/json.hpp"

namespace hone {

std::optional<std::string> pack_ids(const Json& list);     // int32
std::optional<std::string> pack_floats(const Json& list);  // float32
Json unpack_ids(std::string_view bytes);
Json unpack_floats(std::string_view bytes);

// Takes a member out of an object; null if it is not there.
Json take(Json& object, const char* key);

}  // namespace hone
