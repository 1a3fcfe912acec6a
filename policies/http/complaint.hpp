// policies/http/complaint.hpp: what a server says of a request that it does not answer.
#pragma once
#include <initializer_list>
#include <string>
#include <vector>

namespace http {

struct Complaint {
    std::string message, code;
    std::vector<std::string> fields;  // of the request, that the server does not take
    double retry_after = 0;           // seconds that it asks to wait, beside the header (Gemini)
    bool flagged = false;             // a filter refused this one prompt (OpenRouter)
    bool is_of_request = false;       // asked once more, the server would say the same
    bool is_of_length = false;        // of those: the prompt leaves no room in the model's context
    long status = 0;                  // of HTTP, that the error names where the reply has another; 0: none
};
inline constexpr const char* no_reason = "the server gives no reason";  // the message of an empty body

// In capital or small letters; the words are given in small ones.
bool says_one_of(std::string text, std::initializer_list<const char*> words);

// By a reply's body: {"error": {message, param, code, type}}, the same without "error", {"detail": [{type, loc, msg}]}
// (FastAPI, Mistral), else the body's first characters.
Complaint read_complaint(const std::string& body);

}  // namespace http
