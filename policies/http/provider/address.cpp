#include "address.hpp"
#include <arpa/inet.h>
#include <curl/curl.h>
#include <algorithm>
#include <cstring>
#include <memory>
#include "hone/plugin.hpp"

namespace http {

Address::Address(const std::string& base_url, const Protocol& protocol) : shown_(without_secrets(base_url)) {
    if (!base_url.starts_with("http://") && !base_url.starts_with("https://"))
        throw hone::Refused("base_url: \"" + shown_ + "\" must begin with https:// or http://");
    const std::size_t query = std::min(base_url.find_first_of("?#"), base_url.size());
    path_ = base_url.substr(0, query);
    query_ = base_url.substr(std::min(query + 1, base_url.size()));
    for (std::string* one : {&path_, &shown_})
        while (one->ends_with('/')) one->pop_back();
    const std::string ending = protocol.path("", false);
    if (path_.ends_with(ending))
        throw hone::Refused("base_url: \"" + shown_ + "\" ends in " + ending + ", which hone adds; write \"" +
                            shown_.substr(0, shown_.size() - ending.size()) + "\"");
}

std::string Address::endpoint(const std::string& path) const {
    if (query_.empty()) return path_ + path;
    return path_ + path + (path.find('?') == std::string::npos ? "?" : "&") + query_;
}

std::vector<std::string> Address::secrets() const {
    const std::size_t scheme = path_.find("://") + 3, at = path_.rfind('@', path_.find('/', scheme));
    std::vector<std::string> secrets = {query_};
    for (std::size_t from = 0; from < query_.size();) {  // the values alone, too: a server may name one
        const std::size_t end = std::min(query_.find('&', from), query_.size()), value = query_.find('=', from);
        if (value < end) secrets.push_back(query_.substr(value + 1, end - value - 1));
        from = end + 1;
    }
    if (at == std::string::npos || at <= scheme) return secrets;
    const std::string user = path_.substr(scheme, at - scheme);
    secrets.push_back(user);
    if (const std::size_t colon = user.find(':'); colon != std::string::npos) secrets.push_back(user.substr(colon + 1));
    return secrets;
}

bool Address::is_on_this_machine() const {
    const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> parsed(curl_url(), curl_url_cleanup);
    char* part = nullptr;
    if (curl_url_set(parsed.get(), CURLUPART_URL, path_.c_str(), 0) ||
        curl_url_get(parsed.get(), CURLUPART_HOST, &part, 0))
        return false;
    const std::unique_ptr<char, decltype(&curl_free)> host(part, curl_free);
    unsigned char address[4];
    if (strcasecmp(part, "localhost") == 0 || strcmp(part, "[::1]") == 0) return true;
    return inet_pton(AF_INET, part, address) == 1 && address[0] == 127;
}

std::string without_secrets(std::string url) {
    url.erase(std::min(url.find_first_of("?#"), url.size()));
    const std::size_t scheme = url.find("://"), from = scheme == std::string::npos ? 0 : scheme + 3;
    const std::size_t at = url.rfind('@', url.find('/', from));
    if (at != std::string::npos && at >= from) url.erase(from, at + 1 - from);
    return url;
}

}  // namespace http
