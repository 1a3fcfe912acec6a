#include "commands/serve/metrics.hpp"
#include <algorithm>
#include <numeric>
#include "base/quantity.hpp"

namespace hone::serve {
namespace {

std::string head(const std::string& name, const std::string& type, const std::string& help) {
    return "# HELP " + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
}

std::string one(const std::string& name, const std::string& type, const std::string& help, double value) {
    return head(name, type, help) + name + " " + plain_number(value) + "\n";
}

}  // namespace

void Histogram::add(double seconds) {
    const auto bound = std::lower_bound(bounds_.begin(), bounds_.end(), seconds);
    ++counts_[static_cast<std::size_t>(bound - bounds_.begin())];
    sum_ += seconds;
}

std::string Histogram::text(const std::string& name, const std::string& help) const {
    std::string text = head(name, "histogram", help);
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        below += counts_[i];
        const std::string bound = i < bounds_.size() ? plain_number(bounds_[i]) : "+Inf";
        text += name + "_bucket{le=\"" + bound + "\"} " + std::to_string(below) + "\n";
    }
    return text + name + "_sum " + std::to_string(sum_) + "\n" + name + "_count " + std::to_string(below) + "\n";
}

std::string Metrics::text(std::size_t open, std::size_t waiting) const {
    std::string text = head("hone_requests_total", "counter", "answered requests by endpoint and status");
    for (const auto& [key, count] : requests)
        text += "hone_requests_total{endpoint=\"" + key.first + "\",status=\"" + std::to_string(key.second) + "\"} " +
                std::to_string(count) + "\n";
    text += one("hone_requests_open", "gauge", "requests under way", static_cast<double>(open));
    text +=
        one("hone_requests_waiting", "gauge", "of those, that the policy has not taken", static_cast<double>(waiting));
    text += one("hone_prompt_tokens_total", "counter", "tokens of prompts", tokens_in);
    text += one("hone_completion_tokens_total", "counter", "tokens of answers", tokens_out);
    text +=
        one("hone_clients_gone_total", "counter", "clients that left before their answer", static_cast<double>(gone));
    text += first_token.text("hone_first_token_seconds", "from a request to the first piece of its answer");
    return text + duration.text("hone_request_seconds", "from a request to the end of its answer");
}

}  // namespace hone::serve
