// commands/serve/metrics.hpp: what the server counts, in Prometheus' text format. On the network's thread.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace hone::serve {

class Histogram {  // of seconds
public:
    void add(double seconds);
    std::string text(const std::string& name, const std::string& help) const;

private:
    static constexpr std::array<double, 10> bounds_ = {0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300};
    std::array<std::uint64_t, 11> counts_{};  // the last: above all bounds
    double sum_ = 0;
};

struct Metrics {
    std::map<std::pair<std::string, unsigned>, std::uint64_t> requests;  // by endpoint and status
    double tokens_in = 0, tokens_out = 0;  // fractions where a provider's number was shared out
    std::uint64_t gone = 0;                // clients that did not wait
    Histogram first_token, duration;       // of requests that the policy answered
    std::string text(std::size_t open, std::size_t waiting) const;  // requests under way; of those, not yet taken
};

}  // namespace hone::serve
