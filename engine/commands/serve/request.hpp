// commands/serve/request.hpp: bodies of requests, foreign bytes, into what is asked of the policy. Fields of OpenAI's
// API that say nothing about the answer (user, tools, metadata) are ignored.
#pragma once
#include <stdexcept>
#include <string>
#include "base/json.hpp"
#include "parts/policy.hpp"

namespace hone::serve {

// What a client reads: {"error": {"message", "type", "param", "code"}}.
struct ApiError : std::runtime_error {
    ApiError(unsigned status_, const std::string& message, std::string param_ = "", std::string code_ = "")
        : std::runtime_error(message), status(status_), param(std::move(param_)), code(std::move(code_)) {}
    unsigned status;
    std::string param, code;
    double retry_after = 1;  // seconds, of 429 and 503
};
Json error_body(const ApiError& error);
std::string text_of(const Json& document);  // UTF-8, whatever bytes the document holds

struct Served {  // what the server says of its model
    std::string model;
    int most_tokens = 0;  // of an answer that says no max_tokens
};

struct Asked {
    SampleRequest request;
    bool chat = true;  // else a completion of a text
    bool stream = false, usage = false, logprobs = false, ids = false;
};

// Whether no answer came; then what the client reads, by the policy's word on the fault.
bool is_failed(const Answer& answer);
ApiError error_of(const Answer& answer, const Asked& asked);

// Throws ApiError (400; 404 for another model).
Asked read_request(const std::string& body, bool chat, const Served& served);

}  // namespace hone::serve
