// policies/http/complaint.hpp: what a server says of a request that it does not answer.
#pragma once
#include <string>
#include <vector>

namespace http {

struct Complaint {
    std::string message, code;
    std::vector<std::string> fields;  // of the request, that the server does not take
};
// By a reply's body: {"error": {message, param, code, type}}, the same without "error", {"detail": [{type, loc, msg}]}
// (FastAPI, Mistral), else the body's first characters.
Complaint read_complaint(const std::string& body);

}  // namespace http
