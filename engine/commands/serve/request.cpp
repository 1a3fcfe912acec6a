#include "commands/serve/request.hpp"
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include "base/json_text.hpp"

namespace hone::serve {
namespace {

[[noreturn]] void refuse(const std::string& param, const std::string& wanted) {
    throw ApiError(400, "'" + param + "' must be " + wanted, param, "invalid_value");
}

// null and absent are the same.
const Json* given(const Json& body, const char* field) {
    const auto found = body.find(field);
    return found == body.end() || found->is_null() ? nullptr : &*found;
}

double number_of(const Json& body, const char* field, double absent, double least, double most,
                 const std::string& wanted) {
    const Json* value = given(body, field);
    if (!value) return absent;
    const double number = value->is_number() ? value->get<double>() : std::numeric_limits<double>::quiet_NaN();
    if (!(number >= least && number <= most)) refuse(field, wanted);
    return number;
}

std::int64_t whole_of(const Json& body, const char* field, std::int64_t absent, std::int64_t least, std::int64_t most) {
    const std::string wanted = "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
    const double number = number_of(body, field, static_cast<double>(absent), static_cast<double>(least),
                                    static_cast<double>(most), wanted);
    if (number != std::floor(number)) refuse(field, wanted);
    return static_cast<std::int64_t>(number);
}

bool flag_of(const Json& body, const char* field) {
    const Json* value = given(body, field);
    if (!value) return false;
    if (!value->is_boolean()) refuse(field, "true or false");
    return value->get<bool>();
}

// A text, or a list of parts; parts that are no text (pictures) are refused.
std::string content_of(const Json& message, const std::string& place) {
    const Json* content = given(message, "content");
    if (content && content->is_string()) return *content;
    if (!content || !content->is_array()) refuse(place, "a text or a list of parts");
    std::string text;
    for (const Json& part : *content) {
        if (!part.is_object() || !part.contains("text") || !part["text"].is_string())
            refuse(place, "a text: parts of another type are not understood");
        text += part["text"].get<std::string>();
    }
    return text;
}

std::vector<Message> messages_of(const Json& body) {
    const Json* list = given(body, "messages");
    if (!list || !list->is_array() || list->empty()) refuse("messages", "a list of messages that is not empty");
    std::vector<Message> messages;
    for (std::size_t i = 0; i < list->size(); ++i) {
        const Json& one = (*list)[i];
        const std::string place = "messages[" + std::to_string(i) + "]";
        if (!one.is_object()) refuse(place, "an object with role and content");
        std::string role = one.value("role", Json()).is_string() ? one["role"].get<std::string>() : "";
        if (role == "developer") role = "system";
        if (role != "system" && role != "user" && role != "assistant")
            refuse(place + ".role", "system, developer, user or assistant");
        messages.push_back({role, content_of(one, place + ".content")});
    }
    return messages;
}

std::vector<Message> prompt_of(const Json& body) {
    const Json* prompt = given(body, "prompt");
    const bool listed = prompt && prompt->is_array() && prompt->size() == 1 && (*prompt)[0].is_string();
    if (listed) prompt = &(*prompt)[0];
    if (!prompt || !prompt->is_string()) refuse("prompt", "a text");
    return {{"plain", *prompt}};
}

std::vector<std::string> stops_of(const Json& body) {
    constexpr std::size_t most = 4;
    const Json* stop = given(body, "stop");
    if (!stop) return {};
    const Json list = stop->is_array() ? *stop : Json::array({*stop});
    std::vector<std::string> texts;
    for (const Json& text : list) {
        if (!text.is_string() || text.get_ref<const std::string&>().empty() || list.size() > most)
            refuse("stop", "a text or a list of up to 4 texts, none of them empty");
        texts.push_back(text);
    }
    return texts;
}

Sampling sampling_of(const Json& body, const Served& served) {
    constexpr std::int64_t most_tokens = 1 << 24;
    Sampling by;
    by.temperature = number_of(body, "temperature", 1, 0, 100, "a number from 0 to 100");
    by.top_p = number_of(body, "top_p", 1, std::numeric_limits<double>::min(), 1, "a number above 0, up to 1");
    by.min_p = number_of(body, "min_p", 0, 0, 1, "a number from 0 to 1");
    by.top_k = static_cast<std::int32_t>(whole_of(body, "top_k", 0, 0, 1 << 20));
    const char* const limit = given(body, "max_completion_tokens") ? "max_completion_tokens" : "max_tokens";
    by.max_tokens = static_cast<std::int32_t>(whole_of(body, limit, served.most_tokens, 1, most_tokens));
    by.stop = stops_of(body);
    return by;
}

std::uint64_t seed_of(const Json& body) {
    constexpr std::int64_t most = std::int64_t{1} << 53;
    if (given(body, "seed")) return static_cast<std::uint64_t>(whole_of(body, "seed", 0, 0, most));
    static std::random_device device;
    return (std::uint64_t{device()} << 20) ^ device();
}

void check_model(const Json& body, const Served& served) {
    const Json* model = given(body, "model");
    if (!model) return;
    if (!model->is_string()) refuse("model", "a text");
    if (*model != served.model)
        throw ApiError(
            404, "The model `" + model->get<std::string>() + "` does not exist; this server has `" + served.model + "`",
            "model", "model_not_found");
}

bool logprobs_of(const Json& body) {  // true (chat), or how many likely tokens beside (completions)
    const Json* value = given(body, "logprobs");
    if (value && !value->is_boolean() && !value->is_number()) refuse("logprobs", "true, false or a number");
    return value && (value->is_number() || value->get<bool>());
}

bool usage_of(const Json& body) {
    const Json* options = given(body, "stream_options");
    if (options && !options->is_object()) refuse("stream_options", "an object");
    return options && flag_of(*options, "include_usage");
}

}  // namespace

std::string text_of(const Json& document) { return document.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json error_body(const ApiError& error) {
    const auto text = [](const std::string& value) { return value.empty() ? Json(nullptr) : Json(value); };
    const char* const type = error.status == 401   ? "authentication_error"
                             : error.status == 429 ? "rate_limit_error"
                             : error.status >= 500 ? "server_error"
                                                   : "invalid_request_error";
    return {{"error",
             {{"message", error.what()}, {"type", type}, {"param", text(error.param)}, {"code", text(error.code)}}}};
}

bool is_failed(const Answer& answer) { return answer.finish == "error" || answer.finish == "refusal"; }

ApiError error_of(const Answer& answer, const Asked& asked) {
    if (answer.finish == "refusal") return {400, answer.text};
    ApiError error(500, answer.text);
    switch (answer.fault) {
        case HONE_FAULT_REQUEST:
            error.status = 400;
            break;
        case HONE_FAULT_CONTEXT:
            error.status = 400, error.code = "context_length_exceeded";
            error.param = asked.chat ? "messages" : "prompt";
            break;
        case HONE_FAULT_LIMIT:
            error.status = 429, error.code = "rate_limit_exceeded";
            break;
        case HONE_FAULT_BUSY:
            error.status = 503;
            break;
        case HONE_FAULT_TIME:
            error.status = 504;
            break;
        case HONE_FAULT_SERVER:
            error.status = 502;
            break;
        default:
            break;
    }
    error.retry_after = std::max(error.retry_after, std::ceil(answer.retry_after));
    return error;
}

Json parse_body(const std::string& text) {
    try {
        return parse_strange_json(text);
    } catch (const TooDeep& e) {
        throw ApiError(400, std::string("the body is nested too deep: ") + e.what());
    } catch (const Json::parse_error& e) {
        throw ApiError(400, "the body is no JSON: " + plain_words(e));
    } catch (const Json::out_of_range&) {
        throw ApiError(400, "the body is no JSON: a number is too large");
    }
}

Asked read_request(const std::string& text, bool chat, const Served& served) {
    const Json body = parse_body(text);
    if (!body.is_object()) throw ApiError(400, "the body is no JSON object");
    check_model(body, served);
    Asked asked;
    asked.chat = chat;
    asked.stream = flag_of(body, "stream");
    asked.usage = usage_of(body);
    asked.logprobs = logprobs_of(body);
    asked.ids = flag_of(body, "return_token_ids");
    asked.request.messages = chat ? messages_of(body) : prompt_of(body);
    asked.request.group = static_cast<std::uint32_t>(whole_of(body, "n", 1, 1, 128));
    asked.request.seed = seed_of(body);
    asked.request.sampling = sampling_of(body, served);
    return asked;
}

}  // namespace hone::serve
