#include "judge/timing/sequential_test.hpp"
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace hone {
namespace {

constexpr std::size_t least_fresh = 3;     // blocks
constexpr std::size_t first_analysis = 8;  // blocks
// blocks, after which what is far slower is let go
constexpr std::size_t futility_stop = 4;
constexpr double unrest = 30e-6;                    // seconds
constexpr double far_more = 4;                      // of lost time
constexpr double far_slower = -0.6931471805599453;  // ln(1/2)
// Each interim analysis spends 0.55 of the error; the futility stop makes another statement. By simulation of analyses
// at 8, 16, 32 and 64 blocks, over all ratios of noise to precision and for normal and heavy-tailed blocks, 95 %
// intervals then hold the truth in 95.8 to 98 % of cases when the measurement stops.
constexpr double error_an_analysis = 0.55;

double slowest_undisturbed(double quick, double disturbed) { return std::max(disturbed * quick, quick + unrest); }

bool is_disturbed(double reading, double quick, double disturbed) {
    return reading > slowest_undisturbed(quick, disturbed);
}

std::size_t count(const std::vector<bool>& flags) {
    return static_cast<std::size_t>(std::count(flags.begin(), flags.end(), true));
}

// Values of `groups` groups of neighbours.
std::vector<double> grouped(const std::vector<double>& d, std::size_t groups) {
    std::vector<double> values;
    for (std::size_t i = 0; i < groups; ++i) {
        const auto at = [&](std::size_t k) { return d.begin() + static_cast<std::ptrdiff_t>(k * d.size() / groups); };
        values.push_back(trimmed_mean({at(i), at(i + 1)}, trimmed_share));
    }
    return values;
}

std::vector<double> side(const std::vector<Pair>& pairs, double Pair::*reading) {
    std::vector<double> all;
    for (const Pair& pair : pairs) all.push_back(pair.*reading);
    return all;
}

// Are there clearly more of the first than of the second? Two deviations of the difference; what disturbs comes in
// bursts, which the spread of the blocks' differences shows. But nobody may bunch more than one call of eight out of
// sight, and beside an undisturbed baseline not even that is needed to tell: of 32 pairs four slow ones may be the
// machine's, which trimming would take out as well, of eight one.
bool clearly_more(const std::vector<bool>& first, const std::vector<bool>& second, std::size_t block) {
    std::vector<double> differences((first.size() + block - 1) / block);
    for (std::size_t i = 0; i < first.size(); ++i)
        differences[i / block] += static_cast<int>(first[i]) - static_cast<int>(second[i]);
    const auto n = static_cast<double>(differences.size()), both = static_cast<double>(count(first) + count(second));
    const double bursts = std::min(deviation(differences) * std::sqrt(n), static_cast<double>(first.size()) / 16);
    const double more = mean(differences) * n;
    const bool undisturbed = count(second) <= 1;
    const double eighth = std::max(1.0, static_cast<double>(first.size()) / 8);
    return more > 2 * std::max(std::sqrt(both), bursts) || (undisturbed && more > eighth);
}

// Did the first side lose far more time to its slow calls than the second? Of few pairs numbers tell little: 7 slow
// calls beside 2 may be luck, 7 of 20 ms beside 2 of 0.1 ms are not. One call of eight, the slowest, is left out: that
// may have been the machine.
bool clearly_longer(std::vector<double> first, const std::vector<double>& second, std::size_t pairs) {
    const std::size_t spared = std::min(first.size(), std::max<std::size_t>(1, pairs / 8));
    std::sort(first.begin(), first.end(), std::greater<>());
    const double lost = std::accumulate(first.begin() + static_cast<std::ptrdiff_t>(spared), first.end(), 0.0);
    return lost > far_more * std::accumulate(second.begin(), second.end(), 0.0);
}

}  // namespace

bool has_waited(double seconds, double waited) { return is_disturbed(seconds, seconds - waited, disturbed_on_host); }

double undisturbed_reading(std::vector<double> readings) {
    if (readings.empty()) return no_reading;
    const auto tenth = readings.begin() + static_cast<std::ptrdiff_t>(readings.size() / 10);
    std::nth_element(readings.begin(), tenth, readings.end());
    return *tenth;
}

std::vector<bool> undisturbed_pairs(const std::vector<Pair>& pairs, std::size_t block, double undisturbed_baseline,
                                    double disturbed) {
    undisturbed_baseline = std::min(undisturbed_baseline, undisturbed_reading(side(pairs, &Pair::baseline)));
    const double quick_candidate = undisturbed_reading(side(pairs, &Pair::candidate));
    std::vector<bool> candidate, baseline;  // slow
    for (const Pair& pair : pairs) {
        candidate.push_back(pair.candidate_waited || is_disturbed(pair.candidate, quick_candidate, disturbed));
        baseline.push_back(pair.baseline_waited || is_disturbed(pair.baseline, undisturbed_baseline, disturbed));
    }
    std::vector<double> lost_by_candidate, lost_by_baseline;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        if (candidate[i]) lost_by_candidate.push_back(pairs[i].candidate - quick_candidate);
        if (baseline[i]) lost_by_baseline.push_back(pairs[i].baseline - undisturbed_baseline);
    }
    const bool its_own_doing =
        clearly_more(candidate, baseline, block) || clearly_longer(lost_by_candidate, lost_by_baseline, pairs.size());
    std::vector<bool> undisturbed;
    for (std::size_t i = 0; i < pairs.size(); ++i)
        undisturbed.push_back(!baseline[i] && (its_own_doing || !candidate[i]));
    return undisturbed;
}

SequentialTest::SequentialTest(StopRule rule, double undisturbed_baseline)
    : rule_(rule),
      quick_baseline_(undisturbed_baseline),
      block_(std::max<std::size_t>(1, static_cast<std::size_t>(rule.most / rule.blocks))) {}

void SequentialTest::add(Pair pair) {
    pairs_.push_back(pair);
    if (in_block() == block_) begin_block();
}

bool SequentialTest::was_disturbed() const {
    const Pair& last = pairs_.back();
    return last.candidate_waited || last.baseline_waited ||
           is_disturbed(last.baseline, undisturbed_baseline(), rule_.disturbed) ||
           is_disturbed(last.candidate, undisturbed_reading(side(pairs_, &Pair::candidate)), rule_.disturbed);
}

double SequentialTest::undisturbed_baseline() const {
    return std::min(quick_baseline_, undisturbed_reading(side(pairs_, &Pair::baseline)));
}

std::vector<bool> SequentialTest::counted() const {
    std::vector<bool> counts = undisturbed_pairs(pairs_, block_, quick_baseline_, rule_.disturbed);
    if (rule_.fresh) count_slow_processes(counts);
    for (std::size_t i = 0; i < pairs_.size(); ++i) counts[i] = counts[i] && pairs_[i].fit;
    return counts;
}

void SequentialTest::count_slow_processes(std::vector<bool>& counts) const {
    const double quick = undisturbed_baseline(), slowest = slowest_undisturbed(quick, rule_.disturbed);
    const double quick_candidate = undisturbed_reading(side(pairs_, &Pair::candidate));
    // a long sleep of the candidate's makes the call behind it slow too
    const auto counts_still = [&](const Pair& pair) {
        return (pair.baseline <= slowest && !pair.baseline_waited) ||
               pair.candidate - quick_candidate > far_more * (pair.baseline - quick);
    };
    for (std::size_t b = 0; b < begun_.size(); ++b) {
        const std::size_t end = b + 1 < begun_.size() ? begun_[b + 1] : pairs_.size();
        const auto first = counts.begin() + static_cast<std::ptrdiff_t>(begun_[b]),
                   last = counts.begin() + static_cast<std::ptrdiff_t>(end);
        if (std::find(first, last, true) != last) continue;
        for (std::size_t i = begun_[b]; i < end; ++i) counts[i] = counts_still(pairs_[i]);
    }
}

std::size_t SequentialTest::block_of(std::size_t pair) const {
    return static_cast<std::size_t>(std::upper_bound(begun_.begin(), begun_.end(), pair) - begun_.begin()) - 1;
}

std::vector<double> SequentialTest::block_values() const {
    const std::vector<bool> counts = counted();
    std::vector<double> values, all;
    for (std::size_t b = 0; b < begun_.size(); ++b) {
        std::vector<double> block;
        const std::size_t end = b + 1 < begun_.size() ? begun_[b + 1] : pairs_.size();
        for (std::size_t i = begun_[b]; i < end; ++i)
            if (counts[i]) block.push_back(std::log(pairs_[i].baseline / pairs_[i].candidate));
        all.insert(all.end(), block.begin(), block.end());
        if (!block.empty()) values.push_back(trimmed_mean(std::move(block), trimmed_share));
    }
    // The time was over before. Blocks are then too few to be told apart by; but where each had processes of its own,
    // three and more are all there is.
    if (values.size() >= first_analysis || (rule_.fresh && values.size() >= least_fresh)) return values;
    return grouped(all, std::min(all.size(), first_analysis));
}

Interval SequentialTest::interval() const {
    const std::vector<double> values = block_values();
    if (values.size() < 3) return {values.empty() ? 0 : mean(values), -no_reading, no_reading};
    return mean_interval(values, 1 - (1 - rule_.level) * error_an_analysis);
}

bool SequentialTest::is_interim_analysis() const {
    for (std::size_t analysis = first_analysis; analysis <= full_blocks(); analysis *= 2)
        if (analysis == full_blocks()) return begins_block();
    return false;
}

bool SequentialTest::done() const {
    if (pairs_.size() >= static_cast<std::size_t>(rule_.most)) return true;
    const bool analysis = is_interim_analysis();
    if (!analysis && !(full_blocks() == futility_stop && begins_block())) return false;
    const Interval now = interval();
    return (analysis && (now.upper - now.lower) / 2 <= rule_.precision) || now.upper < far_slower;
}

}  // namespace hone
