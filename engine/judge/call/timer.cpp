// The timer of a bench (judge/call/bench_parts.hpp).
#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <sstream>
#include "base/load.hpp"
#include "base/printable.hpp"
#include "base/quantity.hpp"
#include "judge/call/bench_parts.hpp"
#include "parts/told.hpp"

namespace hone {
namespace {

constexpr double longest_window = 60;  // seconds

bool names_kind(const std::string& kinds, const std::string& kind) {
    std::istringstream in(kinds);
    for (std::string word; in >> word;)
        if (word == kind) return true;
    return false;
}

std::string given(const char* what, double value) { return std::string("time: gave ") + what + plain_number(value); }

// Another name of seconds or of a part of them, in small letters: as a unit of its own it would keep a program from
// being faster.
bool is_of_time(const std::string& unit) {
    static const std::set<std::string> others = {"minute", "min", "hour", "hr", "h"},
                                       parts = {"", "m", "u", "\u00b5", "\u03bc", "n", "p"},
                                       long_parts = {"", "milli", "micro", "nano", "pico"};
    for (const std::string& part : parts)
        if ((!part.empty() && unit == part + "s") || unit == part + "sec") return true;
    for (const std::string& part : long_parts)
        if (unit == part + "sec" || unit == part + "second") return true;
    return others.contains(unit);
}

std::string without_plural(const std::string& unit) {
    return unit.size() > 2 && unit.ends_with("s") ? unit.substr(0, unit.size() - 1) : unit;
}

bool is_amount(double value) { return std::isfinite(value) && value >= 0; }

}  // namespace

Timer::Timer(const Recipe& recipe)
    : handle_(recipe), functions_(*static_cast<const hone_timer*>(handle_.part().functions)), unit_(functions_.unit) {}

void Timer::attach(const hone_device& device) {
    const std::string place = "timer." + handle_.recipe().id;
    if (!names_kind(functions_.kinds, device.kind))
        throw Error(
            Blame::input, place, "cannot time a device of kind \"" + std::string(device.kind) + "\"",
            "it knows: " + std::string(functions_.kinds) + "; choose another timer, or a verifier for such a device");
    if (HONE_OFFERS(&functions_, attach)) handle_.call("attach", functions_.attach, handle_.self(), &device);
    const Json told = facts();
    unit_ = told.value("unit", unit_);
    resolution_ = told.value("resolution", 0.0);
    least_window_ = told.value("least_window", 0.0);
    if (const std::string fault = fault_of_unit(unit_); !fault.empty()) throw Error(Blame::input, name(), fault);
    if (least_window_ >= longest_window)
        throw Error(Blame::input, name(), "facts: \"least_window\" is " + engineering(least_window_, "s"),
                    "a run must be shorter than a minute");
    const bool on_host = std::string(device.kind) == "cpu";
    const double cores = on_host ? static_cast<double>(std::max<std::size_t>(1, usable_cores().size())) : 1;
    readings_.begin({unit_, resolution_, told.value("virtual", 0.0) != 0, on_host, cores});
}

void Timer::flush(const hone_call& call) {
    if (!HONE_OFFERS(&functions_, flush)) return;
    std::vector<hone_tensor> touched(call.in, call.in + call.n_in);
    touched.insert(touched.end(), call.out, call.out + call.n_out);
    failing_as<ReadingLost>([&] {
        handle_.call("flush", functions_.flush, handle_.self(), touched.data(),
                     static_cast<std::uint32_t>(touched.size()));
    });
}

hone_sample Timer::time(const hone_run& run) {
    hone_sample sample{};
    failing_as<ReadingLost>([&] { handle_.call("time", functions_.time, handle_.self(), &run, &sample); });
    return sample;
}

void Timer::require_reading(const hone_sample& sample) const {
    // of every sample, also of one that is discarded: a doubt about a clock outlasts the reading
    if (!is_amount(sample.tolerance)) broke(given("a tolerance of ", sample.tolerance) + ": no reading");
    if (!is_amount(sample.independent)) broke(given("an independent time of ", sample.independent) + ": no reading");
    // 0 with an independent clock: forged by the program
    const bool zero = sample.value == 0 && (sample.independent != 0 || resolution_ > 0);
    if (sample.discard || zero || (sample.value > 0 && std::isfinite(sample.value))) return;
    broke(
        given("", sample.value) + ": no reading" +
        (sample.value == 0 ? "; a meter of coarse steps tells \"resolution\" and \"least_window\" in its facts" : ""));
}

void Timer::add_reading(const hone_sample& sample, const RunTimes& run) {
    if (const std::string fault = readings_.add(sample, run); !fault.empty()) broke("time: " + fault);
}

std::string Timer::discards() const {
    const std::string share = readings_.discards();
    return share.empty() ? share : name() + " " + share;
}

void Timer::broke(const std::string& promise) const { throw PartBroken(handle_.name() + ": " + promise); }

Json Timer::facts() const {
    Collect out;
    if (HONE_OFFERS(&functions_, facts)) handle_.call("facts", functions_.facts, handle_.self(), out.out());
    check_told(out.json(), "timer", name(), "facts");
    return out.json();
}

std::string fault_of_unit(const std::string& unit) {
    if (unit.empty()) return "its unit is no text: name one, \"s\", \"J\", \"cycle\", \"instruction\" or another";
    if (printable(unit) != unit || unit.find_first_of("\n\t") != std::string::npos)
        return "its unit \"" + printable(unit) +
               "\" holds a control character; it stands in lines for people: leave it out";
    std::string plain;
    for (const char letter : unit) plain += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    if (is_of_time(plain) || is_of_time(without_plural(plain)))
        return "its unit is \"" + unit + "\"; \"s\" is the unit of seconds: give them in it";
    return plain == "s" && unit != "s" ? "its unit is \"" + unit + "\"; \"s\" is the unit of seconds" : "";
}

}  // namespace hone
