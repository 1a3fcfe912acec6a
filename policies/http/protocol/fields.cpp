#include "fields.hpp"
#include <algorithm>

namespace http {

using nlohmann::json;

bool is_amount_at(const json& object, const char* key) {
    constexpr double most = 1e9;
    const json& value = member(object, key);
    return value.is_number() && value.get<double>() >= 0 && value.get<double>() <= most;
}

double amount_at(const json& object, const char* key) {
    return is_amount_at(object, key) ? member(object, key).get<double>() : 0;
}

std::vector<std::int32_t> ids_at(const json& object, const char* key) {
    std::vector<std::int32_t> ids;
    for (const json& id : member(object, key)) {
        if (!id.is_number_integer() || id != id.get<std::int32_t>()) return {};  // no vocabulary of ours
        ids.push_back(id.get<std::int32_t>());
    }
    return ids;
}

std::string lower(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

bool is_blank(const std::string& text) { return text.find_first_not_of(" \t\r\n") == std::string::npos; }

json* element_at(json& object, const char* key, const json& index) {
    const std::size_t at = index.is_number_unsigned() ? index.get<std::size_t>() : 0;
    if (at >= most_answers) return nullptr;
    json& list = object[key];
    if (!list.is_array()) list = json::array();
    while (list.size() <= at) list.push_back(json::object());
    if (!list[at].is_object()) list[at] = json::object();
    return &list[at];
}

void append(json& object, const char* key, const std::string& more) {
    json& text = object[key];
    if (!text.is_string()) text = "";
    text.get_ref<std::string&>() += more;
}

void take_over(const json& event, std::initializer_list<const char*> fields, json& reply) {
    for (const char* field : fields)
        if (const json& value = member(event, field); !value.is_null()) reply[field] = value;
}

Choice answer_of(std::string text, bool at_limit, const std::string& why_empty) {
    if (!is_blank(text)) return {std::move(text), at_limit ? HONE_LENGTH : HONE_STOP, {}, {}};
    return error_of(at_limit ? "the answer is empty: max_tokens were spent before its first word; raise max_tokens, or "
                               "ask for less reasoning"
                             : "the answer is empty (" + why_empty + ")");
}

namespace {

std::string with(const std::string& reason, const std::string& words) {
    return words.empty() ? reason : reason + ": " + words;
}

}  // namespace

Choice refusal_of(const std::string& reason, const std::string& words) {
    return {with(reason, words), HONE_REFUSAL, {}, {}};
}

Choice error_of(const std::string& reason, const std::string& words) {
    return {with(reason, words), HONE_ERROR, {}, {}};
}

}  // namespace http
