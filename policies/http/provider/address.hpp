// policies/http/provider/address.hpp: where a provider is reached.
#pragma once
#include <string>
#include <vector>
#include "http/protocol/protocol.hpp"

namespace http {

class Address {
public:
    Address() = default;
    // Throws hone::Refused where the URL cannot be an API's.
    explicit Address(const std::string& base_url, const Protocol& protocol);
    // What a request goes to: the protocol's path comes before the query of base_url.
    std::string endpoint(const std::string& path) const;
    // base_url for people and the record: without userinfo and query, which may be secrets.
    const std::string& shown() const { return shown_; }
    std::vector<std::string> secrets() const;  // userinfo and query
    // Of the host that libcurl would connect to: a name may begin like one of ours and lie elsewhere.
    bool is_on_this_machine() const;
    bool is_encrypted() const { return path_.starts_with("https://"); }

private:
    std::string path_, query_, shown_;  // query_: without its "?"
};

std::string without_secrets(std::string url);  // without userinfo and query

}  // namespace http
