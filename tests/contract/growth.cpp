// Whether a timer's readings follow the work, and nothing else: runs of 1, 4 and 16 units of it, then longer ones.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include "base/quantity.hpp"
#include "growth_runs.hpp"

namespace hone::contract {
namespace {

constexpr double usual_unit = 1e-4, longest_unit = 0.1, enough = 2;  // seconds: of a unit, of all runs
constexpr double longest_run = 0.05;                                 // seconds of the longer runs
constexpr double least_steps = 20;                                   // of the resolution that a unit takes
constexpr double most_carried = 0.1;                                 // of the growth that a run may leave to the next
constexpr int tries = 6;  // on a busy machine a quarter of the runs may be disturbed, too

struct Growth {
    double one, four, sixteen;
    explicit Growth(const Readings& all)
        : one(middle(all, growth_sizes[0], &Reading::value)),
          four(middle(all, growth_sizes[1], &Reading::value)),
          sixteen(middle(all, growth_sizes[2], &Reading::value)) {}
    bool follows() const {
        const double first = (four - one) / (growth_sizes[1] - growth_sizes[0]),
                     second = (sixteen - four) / (growth_sizes[2] - growth_sizes[1]);
        return first > 0 && second > first / 2 && second < 2 * first;
    }
    bool grows_like(const Growth& other) const {
        const double as_much = (sixteen - one) / (other.sixteen - other.one);
        return follows() && as_much > 0.5 && as_much < 2;
    }
    std::string words(double seconds, const std::string& unit, const char* of = "times") const {
        return std::string("of 1, 4 and 16 ") + of + " " + engineering(seconds, "s") + " it read " +
               engineering(one, unit) + ", " + engineering(four, unit) + " and " + engineering(sixteen, unit);
    }
};

// All readings of as few tries as are alike.
template <class Alike> Readings read_growth(Alike&& alike, const Timed& timed, Phase& phase) {
    const double unit = timed.unit,
                 rounds =
                     std::clamp(enough / (unit * (growth_sizes[0] + growth_sizes[1] + growth_sizes[2])), 6.0, 32.0);
    Readings all;
    for (int i = 0; i < tries; ++i) {
        read_all(timed, {std::begin(growth_sizes), std::end(growth_sizes)}, static_cast<int>(rounds), all, phase);
        if (all.empty() || alike(all)) break;
    }
    return all;
}

// A clock of processor time that is this process's own sees a reference, which works here, and no candidate.
void check_other_process(const Timed& here, const std::string& unit, const Growth& read) {
    const Worker worker;
    Timed timed = here;
    timed.worker = &worker;
    Phase phase(here.contract);
    const auto alike = [&](const Readings& all) { return Growth(all).grows_like(read); };
    const Readings all = read_growth(alike, timed, phase);
    here.contract.expect(!phase.has_enough() || alike(all),
                         "time: readings are of the process that works (`pid`), as of this one: there, " +
                             Growth(all).words(here.unit, unit));
}

// The judge divides a reading by the calls of its run.
void check_calls(const Timed& here, const std::string& unit, const Growth& read) {
    Timed timed = here;
    timed.in_calls = true;
    Phase phase(here.contract);
    const auto alike = [&](const Readings& all) { return Growth(all).grows_like(read); };
    const Readings all = read_growth(alike, timed, phase);
    here.contract.expect(!phase.has_enough() || alike(all), "time: a reading is the sum of its run's calls: " +
                                                                Growth(all).words(here.unit, unit, "calls of"));
}

// Two clocks over the same work: candidates are held to the difference.
void check_independent(Contract& contract, const Readings& all, const std::string& unit) {
    for (const int size : growth_sizes) {
        const double independent = middle(all, size, &Reading::independent), gap = middle_gap(all, size);
        if (independent == 0 || std::fabs(gap) <= middle(all, size, &Reading::tolerance)) continue;
        return contract.expect(false, "time: independent is value within tolerance: they read " +
                                          engineering(independent, unit) + " and " +
                                          engineering(middle(all, size, &Reading::value), unit) + ", tolerance " +
                                          engineering(middle(all, size, &Reading::tolerance), unit));
    }
}

// A counter may have an end, where it stays or begins again. Others make a reading too large; too small it is by the
// meter's own doing.
void check_longer(const Timed& timed, const Readings& shorter, const std::string& unit) {
    const auto grown = [&](double Reading::*what) {
        return middle(shorter, growth_sizes[2], what) - middle(shorter, growth_sizes[0], what);
    };
    const double a_second = grown(&Reading::value) / grown(&Reading::core);
    const int most = static_cast<int>(longest_run / timed.unit);
    Readings longest = of_size(shorter, growth_sizes[2]);
    if (most >= 2 * growth_sizes[2]) {
        Readings longer;
        Phase phase(timed.contract);
        read_all(timed, {most / 4, most}, 4, longer, phase);
        if (!phase.has_enough()) return;
        for (const Reading& r : longer)
            if (r.value < a_second * r.core / 2)
                return timed.contract.expect(false, "time: longer runs read as much for each second: it read " +
                                                        engineering(r.value, unit) + " for " +
                                                        engineering(r.core, "s") + " of work, after shorter ones " +
                                                        engineering(a_second * r.core, unit));
        longest = of_size(longer, most);
    }
    for (const Reading& r : quietest(longest, 1))
        std::printf("checked up to readings of %s, runs of %s: a counter that ends above is not seen\n",
                    engineering(r.value, unit).c_str(), engineering(r.core, "s").c_str());
}

}  // namespace

double readable_seconds(const hone_timer& f, const Json& facts) {
    const double steps =
        facts.value("unit", std::string(f.unit)) == "s" ? least_steps * facts.value("resolution", 0.0) : 0;
    return std::clamp(std::max(steps, facts.value("least_window", 0.0)), usual_unit, longest_unit);
}

void check_growth(Contract& contract, const hone_timer& f, const Json& facts) {
    const std::string unit = facts.value("unit", std::string(f.unit));
    const double seconds = readable_seconds(f, facts);
    if (!std::isfinite(seconds)) return;
    const Timed timed{contract, f, seconds};
    Phase phase(contract);
    const auto on_its_own = [](const Readings& all, double carried) {
        const Growth read(all);
        return std::fabs(carried) < most_carried * (read.sixteen - read.one);
    };
    const auto fine = [&](const Readings& all) {
        return Growth(all).follows() && on_its_own(all, carried_by_work(all)) && on_its_own(all, carried_by_pause(all));
    };
    const Readings all = read_growth(fine, timed, phase);
    if (!phase.has_enough()) return;
    const Growth read(all);
    contract.expect(read.follows(), "time: readings grow with the work: " + read.words(seconds, unit));
    const double more = read.sixteen - read.one;
    if (!(more > 0)) return;
    contract.expect(on_its_own(all, carried_by_work(all)),
                    "time: a reading is of its own run alone: after 16 times the work it read " +
                        engineering(carried_by_work(all), unit) + " more than after 1");
    contract.expect(on_its_own(all, carried_by_pause(all)),
                    "time: a reading is of its own run alone: after a pause of " +
                        engineering(pause_units * seconds, "s") + " it read " +
                        engineering(carried_by_pause(all), unit) + " more than without");
    check_independent(contract, all, unit);
    if (!read.follows()) return;
    check_calls(timed, unit, read);
    check_other_process(timed, unit, read);
    check_longer(timed, all, unit);
    const double wall = middle(all, growth_sizes[2], &Reading::wall) - middle(all, growth_sizes[0], &Reading::wall),
                 core = middle(all, growth_sizes[2], &Reading::core) - middle(all, growth_sizes[0], &Reading::core);
    contract.expect(unit != "s" || (more > core / 2 && more < 2 * wall),
                    "time: seconds are seconds: it read " + engineering(more, unit) + " more for what took " +
                        engineering(wall, "s") + " longer");
}

}  // namespace hone::contract
