#include "torch_lm/format/config_json.hpp"
#include "hone/plugin.hpp"
#include "torch_lm/text/utf8.hpp"

namespace hone::lm {
namespace {

using nlohmann::json;

std::string range(std::int64_t least, std::int64_t most) {
    return "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
}

// An unsigned number beyond int64 reads as negative, so it is refused like one.
bool is_whole(const json& value, std::int64_t least, std::int64_t most) {
    return value.is_number_integer() && value.get<std::int64_t>() >= least && value.get<std::int64_t>() <= most;
}

}  // namespace

void ConfigJson::refuse(const char* key, const std::string& wanted) const {
    throw Refused(place_ + ": \"" + key + "\" is " + first_words(root_[key].dump()) + ", not " + wanted);
}

std::int64_t ConfigJson::whole(const char* key, std::int64_t least, std::int64_t most) const {
    if (!has(key)) throw Refused(place_ + ": has no \"" + key + "\"");
    if (!is_whole(root_[key], least, most)) refuse(key, range(least, most));
    return root_[key].get<std::int64_t>();
}

std::int64_t ConfigJson::whole(const char* key, std::int64_t absent, std::int64_t least, std::int64_t most) const {
    return has(key) ? whole(key, least, most) : absent;
}

double ConfigJson::number(const char* key) const {
    if (!has(key)) throw Refused(place_ + ": has no \"" + key + "\"");
    if (!root_[key].is_number()) refuse(key, "a number");
    return root_[key].get<double>();
}

double ConfigJson::number(const char* key, double absent) const { return has(key) ? number(key) : absent; }

bool ConfigJson::flag(const char* key, bool absent) const {
    if (has(key) && !root_[key].is_boolean()) refuse(key, "true or false");
    return has(key) ? root_[key].get<bool>() : absent;
}

std::string ConfigJson::text(const char* key, const std::string& absent) const {
    if (has(key) && !root_[key].is_string()) refuse(key, "a text");
    return has(key) ? root_[key].get<std::string>() : absent;
}

std::vector<std::int64_t> ConfigJson::wholes(const char* key) const {
    std::vector<std::int64_t> values;
    for (const json& value : root_[key].is_array() ? root_[key] : json::array({root_[key]})) {
        if (!is_whole(value, 0, INT32_MAX)) refuse(key, "a token or a list of tokens");
        values.push_back(value.get<std::int64_t>());
    }
    return values;
}

void ConfigJson::must_be(const char* key, const json& wanted) const {
    if (has(key) && root_[key] != wanted)
        throw Refused(place_ + ": \"" + key + "\" is " + first_words(root_[key].dump()) + "; only " + wanted.dump() +
                      " is supported");
}

}  // namespace hone::lm
