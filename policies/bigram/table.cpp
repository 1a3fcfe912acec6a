#include "table.hpp"
#include <algorithm>
#include <cmath>
#include "vocabulary.hpp"

namespace bigram {

std::uint64_t Contexts::next() const {
    const std::uint64_t position = static_cast<std::uint64_t>(std::min(at_, positions_ - 1));
    return prompt_ << 32 | position << 16 | before_;
}

void Contexts::push(std::int32_t id) {
    const bool prompt = id >= first_context;
    if (prompt) prompt_ = static_cast<std::uint64_t>(id - first_context) + 1;
    before_ = prompt ? 0xffff : static_cast<std::uint64_t>(id);
    at_ = prompt ? 0 : at_ + 1;
}

std::vector<double> log_softmax(const std::vector<float>* logits, std::size_t size, double temperature) {
    std::vector<double> logp(size, 0.0);
    if (logits)
        for (std::size_t k = 0; k < size; ++k) logp[k] = (*logits)[k] / temperature;
    const double most = *std::max_element(logp.begin(), logp.end());
    double sum = 0;
    for (const double v : logp) sum += std::exp(v - most);
    for (double& v : logp) v -= most + std::log(sum);
    return logp;
}

double entropy_of(const std::vector<double>& logp) {
    double sum = 0;
    for (const double v : logp) sum -= std::exp(v) * v;
    return sum;
}

const std::vector<float>* Table::logits(std::uint64_t context) const {
    const auto row = rows_.find(context);
    return row == rows_.end() ? nullptr : &row->second.logits;
}

void Table::ascend(const Gradient& gradient, const Update& update, std::size_t size) {
    constexpr double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
    const std::vector<double> none(size, 0.0);
    for (const auto& [context, g] : gradient)
        if (!rows_.contains(context))
            rows_[context] = {std::vector<float>(size), std::vector<float>(size), std::vector<float>(size)};
    ++steps;
    const double scale1 = 1 - std::pow(beta1, static_cast<double>(steps)),
                 scale2 = 1 - std::pow(beta2, static_cast<double>(steps));
    for (auto& [context, row] : rows_) {
        const auto found = gradient.find(context);
        const std::vector<double>& g = found == gradient.end() ? none : found->second;
        for (std::size_t k = 0; k < size; ++k) {
            row.first[k] = static_cast<float>(beta1 * row.first[k] + (1 - beta1) * g[k]);
            row.second[k] = static_cast<float>(beta2 * row.second[k] + (1 - beta2) * g[k] * g[k]);
            const double step =
                update.adam ? row.first[k] / scale1 / (std::sqrt(row.second[k] / scale2) + epsilon) : g[k];
            row.logits[k] =
                static_cast<float>(row.logits[k] * (1 - update.lr * update.weight_decay) + update.lr * step);
        }
    }
}

}  // namespace bigram
