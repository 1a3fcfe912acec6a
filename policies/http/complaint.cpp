#include "complaint.hpp"
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include "http/protocol/fields.hpp"
#include "reply_text.hpp"

namespace http {
namespace {

using nlohmann::json;

// A field that the server takes, with another value than the one sent: to leave it out would hide that.
bool is_of_value(const Complaint& complaint) {
    const std::string text = complaint.code + " " + complaint.message;
    return !says_one_of(text,
                        {"unsupported", "not support", "unknown", "unrecognized", "not permitted", "deprecated"}) &&
           says_one_of(text, {"too large", "too small", "too high", "too low", "too long", "at most", "at least",
                              "maximum", "minimum", "max_value", "min_value", "above", "below", "between", "range",
                              "must be", "greater", "less than", "exceed"});
}

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Anthropic and Gemini name a field within the sentence alone: "temperature: Extra inputs are not permitted",
// "`temperature` is deprecated for this model.", "Unknown name \"minP\" at ...".
std::string field_in(const std::string& message) {
    if (!says_one_of(message,
                     {"unsupported", "not support", "unknown name", "not permitted", "deprecated", "not allowed"}))
        return "";
    for (std::size_t at = 0; at < message.size(); ++at) {
        const bool opens = at == 0 || std::string_view("`\"'").find(message[at - 1]) != std::string_view::npos;
        std::size_t end = at;
        while (opens && end < message.size() && is_letter(message[end])) ++end;
        const bool closes = end < message.size() && message[end] == (at == 0 ? ':' : message[at - 1]);
        const std::string word = message.substr(at, end - at);
        if (closes && !field_that_can_be_left_out(word).empty()) return word;
    }
    return "";
}

// Gemini: {"details": [{"retryDelay": "22s"}, {"violations": [{"quotaId": "...PerDay..."}]}]}.
void read_quota(const json& details, Complaint& complaint) {
    for (const json& detail : details) {
        complaint.retry_after =
            std::max(complaint.retry_after, std::strtod(text_at(detail, "retryDelay").c_str(), nullptr));
        for (const json& violation : member(detail, "violations"))
            if (text_at(violation, "quotaId").find("PerDay") != std::string::npos)
                complaint.code = "insufficient_quota";
    }
    if (!std::isfinite(complaint.retry_after)) complaint.retry_after = 0;
}

// The status that an error names by its code (vLLM, OpenRouter, Gemini), else by its kind (OpenAI, Anthropic).
long status_in(const json& error, const std::string& kinds) {
    const std::string text = text_at(error, "code");
    const double code = text.empty() ? amount_at(error, "code") : std::strtod(text.c_str(), nullptr);
    if (code >= 400 && code < 600) return static_cast<long>(code);
    if (says_one_of(kinds, {"rate_limit", "resource_exhausted"})) return 429;
    return says_one_of(kinds, {"overloaded"}) ? 529 : 0;
}

// What kind of fault an error names, where its status does not: within a stream, and in a reply of status 200.
void read_kind(const json& error, Complaint& complaint) {
    const std::string kinds = text_at(error, "type") + " " + text_at(error, "status") + " " + complaint.code;
    const long code = complaint.status = status_in(error, kinds);
    complaint.is_of_length = says_one_of(kinds, {"context_length_exceeded", "exceed_context_size"});
    complaint.is_of_request =
        complaint.is_of_length || code == 400 || code == 413 || code == 422 ||
        says_one_of(kinds, {"invalid_request", "invalid_argument", "invalid_prompt", "badrequest"});
}

Complaint of_error(const json& error) {
    std::string code = text_at(error, "code");
    const std::string field = text_at(error, "param");
    const json& metadata = member(error, "metadata");
    Complaint complaint{text_at(error, "message"), code.empty() ? text_at(error, "type") : code, {}};
    complaint.flagged = !member(metadata, "reasons").empty() || !member(metadata, "flagged_input").empty();
    const std::string named = field.empty() ? field_in(complaint.message) : field;
    if (!named.empty() && !is_of_value(complaint)) complaint.fields.push_back(named);
    read_quota(member(error, "details"), complaint);
    read_kind(error, complaint);
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
