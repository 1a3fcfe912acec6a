#include "parts/told.hpp"
#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include "base/error.hpp"
#include "base/options.hpp"
#include "base/printable.hpp"
#include "base/quantity.hpp"
#include "domain/documents.hpp"

namespace hone {
namespace {

using Keys = std::vector<ToldKey>;

bool is_key(const ToldKey& known, const std::string& key) {
    return key == known.name || (known.name.ends_with('_') && key.starts_with(known.name));
}

std::string wants(ToldKey::Kind kind) {
    switch (kind) {
        case ToldKey::text:
            return "a text";
        case ToldKey::number:
            return "a number";
        case ToldKey::amount:
            return "a number, 0 or above";
        default:
            return "a number above 0, or leave it out";
    }
}

bool fits(const Json& value, ToldKey::Kind kind) {
    if (kind == ToldKey::text) return value.is_string();
    if (!value.is_number() || !std::isfinite(value.get<double>())) return false;
    return kind == ToldKey::number || value > 0 || (kind == ToldKey::amount && value == 0);
}

std::string in_words(const Json& value) {
    return value.is_string() ? "the text \"" + value.get<std::string>() + "\"" : plain_number(value);
}

std::string in_small(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

// The known key of which another is a misspelling; "": of none. A short fact may be the part's own by chance.
std::string meant(const Keys& keys, const std::string& key, bool is_brief) {
    constexpr std::size_t is_long = 8, is_word = 6, slips = 2;
    if (is_brief && std::find(brief_keys().begin(), brief_keys().end(), key) == brief_keys().end())
        if (const std::string near = nearest_name(key, brief_keys()); !near.empty()) return near;
    std::string nearest;
    for (const ToldKey& known : keys) {
        if (is_key(known, key) || key.starts_with(known.name + "_")) return "";
        const std::size_t room = key.size() >= is_long ? slips : known.name.size() >= is_word ? 1 : 0;
        const bool alike = edit_distance(key, known.name) <= room;
        if (alike || in_small(key) == known.name) nearest = known.name;
    }
    return nearest;
}

void check_told_key(const std::string& what, const std::string& key, const Json& value, const std::string& part,
                    const std::string& function) {
    const Keys& keys = told_keys(what);
    for (const ToldKey& known : keys)
        if (is_key(known, key) && !fits(value, known.kind))
            throw Error(Blame::input, part, function + ": \"" + key + "\" is " + in_words(value),
                        "give " + wants(known.kind));
    if (const std::string known = meant(keys, key, what == "verifier.brief"); !known.empty())
        throw Error(Blame::input, part, function + ": \"" + key + "\" is no key that hone reads",
                    "did you mean \"" + known + "\"?");
}

}  // namespace

const Keys& told_keys(const std::string& what) {
    using enum ToldKey::Kind;
    static const std::map<std::string, Keys> all = {
        {"timer",
         {{"unit", text},
          {"resolution", above_zero},
          {"least_window", above_zero},
          {"overhead", number},
          {"process_spread", amount},
          {"independent_spread", amount},
          {"virtual", number}}},
        {"verifier",
         {{"ready", text},
          {"cure", text},
          {"cores", above_zero},
          {"host_code", amount},
          {"leaves_traces", amount},
          {"process_spread", amount},
          {"language_seconds", amount},
          {"scratch_bytes", amount},
          {"bytes_per_second", amount},
          {"bytes_per_second_within_", amount},
          {"flops_per_second", amount},
          {"flops_per_second_", amount}}},
        {"verifier.brief", {{"text", text}, {"fences", text}, {"prototype", text}, {"tier", text}, {"empty", text}}},
        {"verifier.open",
         {{"verdict", text},
          {"reason", text},
          {"log", text},
          {"no_score", text},
          {"resources", text},
          {"prepack_steps", amount}}},
        {"policy",
         {{"context", amount}, {"device", text}, {"dtype", text}, {"lora", amount}, {"model", text}, {"speaks", text}}},
        {"prompt", {{"fenced", number}, {"speaks", text}}}};
    static const Keys none;
    const auto found = all.find(what);
    return found == all.end() ? none : found->second;
}

void check_told(const Json& told, const std::string& what, const std::string& part, const char* function) {
    const bool quotes = what == "verifier.open";  // programs, whose bytes may be any
    for (const auto& [key, value] : told.items()) {
        if (!quotes && value.is_string() && !is_utf8(value.get_ref<const std::string&>()))
            throw Error(Blame::input, part, std::string(function) + ": \"" + key + "\" is no UTF-8");
        check_told_key(what, key, value, part, function);
    }
}

}  // namespace hone
