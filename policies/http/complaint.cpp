#include "complaint.hpp"
#include <algorithm>
#include <cctype>
#include "reply_text.hpp"

namespace http {
namespace {

using nlohmann::json;

// A field that the server takes, with another value than the one sent: to leave it out would hide that.
bool is_of_value(const Complaint& complaint) {
    const std::string text = complaint.code + " " + complaint.message;
    return !says_one_of(text, {"unsupported", "not support", "unknown", "unrecognized", "not permitted"}) &&
           says_one_of(text, {"too large", "too small", "too high", "too low", "too long", "at most", "at least",
                              "maximum", "minimum", "max_value", "min_value", "above", "below", "between", "range",
                              "must be", "greater", "less than", "exceed"});
}

Complaint of_error(const json& error) {
    const std::string code = text_at(error, "code"), field = text_at(error, "param");
    const json& metadata = member(error, "metadata");
    Complaint complaint{text_at(error, "message"), code.empty() ? text_at(error, "type") : code, {}};
    complaint.flagged = !member(metadata, "reasons").empty() || !member(metadata, "flagged_input").empty();
    if (!field.empty() && !is_of_value(complaint)) complaint.fields.push_back(field);
    return complaint;
}

// The last name of ["body", "seed"].
std::string field_of(const json& place) {
    std::string field;
    if (place.is_array())
        for (const json& step : place)
            if (step.is_string()) field = step;
    return field;
}

Complaint of_details(const json& details) {
    Complaint complaint;
    for (const json& detail : details) {
        const std::string field = field_of(member(detail, "loc")), said = text_at(detail, "msg");
        complaint.message += (complaint.message.empty() ? "" : ", ") + field + (field.empty() ? "" : ": ") + said;
        if (says_one_of(text_at(detail, "type") + " " + said, {"extra", "forbidden", "not permitted", "unexpected"}))
            complaint.fields.push_back(field);
    }
    return complaint;
}

}  // namespace

bool says_one_of(std::string text, std::initializer_list<const char*> words) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return std::any_of(words.begin(), words.end(),
                       [&](const char* word) { return text.find(word) != std::string::npos; });
}

Complaint read_complaint(const std::string& body) {
    const json read = read_text(body).document;
    const json& doc = read.is_array() && !read.empty() ? read[0] : read;
    const json& error = member(doc, "error");
    if (error.is_string()) return {error.get<std::string>(), "", {}};
    if (body.empty()) return {no_reason, "", {}};
    if (error.is_object()) return of_error(error);
    for (const json* holder : {&doc, &member(doc, "message")})
        if (const json& details = member(*holder, "detail"); details.is_array() && !details.empty())
            return of_details(details);
    if (!text_at(doc, "message").empty()) return of_error(doc);
    return {body.substr(0, 200), "", {}};
}

}  // namespace http
