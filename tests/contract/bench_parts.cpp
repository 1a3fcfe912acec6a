// The contract of timer and reference, on the host.
#include "judge/call/bench_parts.hpp"
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include "base/process.hpp"
#include "base/quantity.hpp"
#include "base/stats.hpp"
#include "contract.hpp"
#include "phase.hpp"

namespace hone::contract {

namespace {

constexpr double reading_seconds = 3;   // of all readings that are shown
constexpr double longest_window = 60;   // seconds, that the judge takes
constexpr double plainly_coarser = 10;  // times the resolution that a meter tells

struct Work {
    double seconds = 1e-4;  // of a call
    std::vector<int> launched = std::vector<int>(3, 0);
    bool fails = false;
    int waits = 0;
};

hone_run run_of(Work& work) {
    hone_run run{};
    run.size = sizeof run;
    run.ctx = &work;
    run.limit = 10;
    run.pid = getpid();
    run.calls = static_cast<std::uint32_t>(work.launched.size());
    run.launch = [](void* ctx, std::uint32_t call) -> hone_rc {
        Work& w = *static_cast<Work*>(ctx);
        if (w.fails) return HONE_FAILED;
        ++w.launched.at(call);
        for (const double end = monotonic_seconds() + w.seconds; monotonic_seconds() < end;) {
        }
        return HONE_OK;
    };
    run.wait = [](void* ctx, double* inside) -> hone_rc {
        ++static_cast<Work*>(ctx)->waits;
        *inside = std::numeric_limits<double>::quiet_NaN();
        return HONE_OK;
    };
    return run;
}

void check_time(Contract& contract, const hone_timer& f, double seconds) {
    Work work, failing;
    work.seconds = seconds;
    failing.fails = true;
    hone_run run = run_of(work);
    hone_sample sample{-1, 0, 0, 0};
    const hone_rc rc = contract.call("time", [&] { return f.time(contract.self(), &run, &sample); });
    contract.expect(rc == HONE_OK, "time: measures a run (" + contract.error() + ")");
    contract.expect(work.launched == std::vector<int>(3, 1), "time: launches each call exactly once");
    contract.expect(work.waits >= 1, "time: waits for the calls to end");
    contract.expect(sample.discard || (std::isfinite(sample.value) && sample.value > 0),
                    "time: gives a number above 0 or discards the sample");
    for (const auto& [what, value] : {std::pair{"independent", sample.independent}, {"tolerance", sample.tolerance}})
        contract.expect(std::isfinite(value) && value >= 0, std::string("time: ") + what + " is 0 or above");
    run = run_of(failing);
    Phase::count(2);
    contract.expect(f.time(contract.self(), &run, &sample) != HONE_OK, "time: a launch that failed is no sample");
}

int readings_of(double seconds) { return static_cast<int>(std::clamp(reading_seconds / seconds, 16.0, 64.0)); }

struct PairsOfReadings {
    std::vector<double> values;
    int taken = 0, no_number = 0, no_wait = 0;
};

// Of runs of one call, which works or does nothing.
PairsOfReadings read(Contract& contract, const hone_timer& f, double seconds, bool works, bool may_discard) {
    PairsOfReadings all;
    Phase phase(contract, may_discard);
    for (; all.taken < readings_of(seconds); ++all.taken) {
        Work work;
        work.seconds = seconds;
        work.launched = {0};
        hone_run run = run_of(work);
        if (!works) run.launch = [](void*, std::uint32_t) -> hone_rc { return HONE_OK; };
        hone_sample sample{};
        if (phase.read(f, run, sample) != HONE_OK) continue;
        all.no_wait += work.waits == 0;
        if (sample.discard) continue;
        const bool is_number = std::isfinite(sample.value) && sample.value >= 0;
        all.no_number += !is_number || sample.value == 0;
        if (is_number) all.values.push_back(sample.value);
    }
    phase.has_enough();
    return all;
}

// One reading in many is enough: the judge takes hundreds, and loses a bench by each that is none.
void check_every_reading(Contract& contract, const PairsOfReadings& all) {
    const std::string of = " of " + std::to_string(all.taken) + " runs of work ";
    contract.expect(all.no_wait == 0,
                    "time: waits for the calls to end: in " + std::to_string(all.no_wait) + of + "it did not");
    contract.expect(all.no_number == 0,
                    "time: gives a number above 0 or discards the sample: in " + std::to_string(all.no_number) + of +
                        "it did not; a meter with coarse steps tells \"resolution\" and \"least_window\"");
}

// A meter that moves in steps gives readings of equal work that are the same, or a step apart. A machine's noise over
// fine steps does not: hardly any two are the same.
void check_steps(Contract& contract, std::vector<double> values, double told, const std::string& unit) {
    std::sort(values.begin(), values.end());
    std::size_t same = 0;
    double step = std::numeric_limits<double>::infinity();
    for (std::size_t i = 1; i < values.size(); ++i) {
        const double apart = values[i] - values[i - 1];
        if (apart < told / 2) ++same;
        else step = std::min(step, apart);
    }
    const bool coarser = 2 * same >= values.size() && std::isfinite(step) && step >= plainly_coarser * told;
    contract.expect(told <= 0 || !coarser, "facts: resolution is the least step of the readings: " +
                                               engineering(step, unit) + " seen, " + engineering(told, unit) + " told");
}

// What readings of equal work are worth: shown, and but for their steps not judged, because the machine has a share in
// it.
void show_readings(Contract& contract, const hone_timer& f, const Json& told, double seconds, bool on_host) {
    const PairsOfReadings working = read(contract, f, seconds, true, !on_host);
    check_every_reading(contract, working);
    const std::vector<double>&values = working.values, empty = read(contract, f, seconds, false, true).values;
    const std::string unit = told.value("unit", std::string(f.unit));
    check_steps(contract, values, told.value("resolution", 0.0), unit);
    const int wanted = readings_of(seconds);
    const bool enough = values.size() >= static_cast<std::size_t>(wanted / 2);
    if (!enough || !(quantile(values, 0.5) > 0))
        return (void)std::printf("readings of %s of work: %zu of %d%s\n", engineering(seconds, "s").c_str(),
                                 values.size(), wanted, enough ? ", most of them 0" : "");
    const auto begin = values.begin(), between = begin + static_cast<long>(values.size() / 2);
    const double middle = quantile(values, 0.5), spread = (quantile(values, 0.75) - quantile(values, 0.25)) / middle,
                 drift = quantile({between, values.end()}, 0.5) / quantile({begin, between}, 0.5) - 1;
    if (!empty.empty()) std::printf("an empty call: %s\n", engineering(quantile(empty, 0.5), unit).c_str());
    double step = middle;
    for (const double a : values)
        if (a != values[0]) step = std::min(step, std::fabs(a - values[0]));
    std::printf(
        "readings of %s of work: %s; noise %.2g %% (quartiles), drift %.2g %% from the first half to the "
        "second\n",
        engineering(seconds, "s").c_str(), engineering(middle, unit).c_str(), 100 * spread, 100 * drift);
    std::printf("resolution: %s seen, %s\n", engineering(step, unit).c_str(),
                told.contains("resolution") ? (engineering(told.value("resolution", 0.0), unit) + " told").c_str()
                                            : "none told: facts \"resolution\"");
}

void check_flush(Contract& contract, const hone_timer& f) {
    const std::vector<float> before(1 << 14, 3.f);
    std::vector<float> values = before;
    const std::int64_t shape = 1 << 14;
    const hone_tensor touched{reinterpret_cast<std::uint64_t>(values.data()), HONE_F32, 1, &shape};
    const hone_rc rc = contract.call("flush", [&] { return f.flush(contract.self(), &touched, 1); });
    contract.expect(rc == HONE_OK, "flush: takes any tensors (" + contract.error() + ")");
    contract.expect(values == before, "flush: changes nothing");
}

struct Buffers {
    std::vector<double> a, b, o;
    std::int64_t shape[2] = {6, 8}, sizes[2] = {6, 8};
    Buffers() : a(48), b(48), o(48, -1) {
        for (int i = 0; i < 48; ++i) a[i] = 0.25 * i, b[i] = 100 - i;
    }
    hone_tensor tensor(std::vector<double>& values) {
        return {reinterpret_cast<std::uint64_t>(values.data()), HONE_F64, 2, shape};
    }
};

void check_truth(Contract& contract, const hone_reference& f, void* program) {
    Buffers buffers;
    const hone_tensor in[] = {buffers.tensor(buffers.a), buffers.tensor(buffers.b)},
                      out[] = {buffers.tensor(buffers.o)};
    hone_call call{};
    call.size = sizeof call;
    call.in = in;
    call.out = out;
    call.n_in = 2;
    call.n_out = 1;
    call.sizes = buffers.sizes;
    call.n_sizes = 2;
    const auto succeeds = [&](const char* function, const std::function<hone_rc()>& body) {
        const hone_rc rc = contract.call(function, body);
        contract.expect(rc == HONE_OK, std::string(function) + ": " + contract.error());
    };
    succeeds("launch", [&] { return f.launch(program, &call); });
    if (HONE_OFFERS(&f, wait)) succeeds("wait", [&] { return f.wait(program); });
    double seconds = std::nan("");
    if (HONE_OFFERS(&f, inside)) succeeds("inside", [&] { return f.inside(program, &seconds); });
    contract.expect(std::isnan(seconds) || (seconds >= 0 && seconds < 10), "inside: is NaN or seconds");
    if (HONE_OFFERS(&f, deliver)) succeeds("deliver", [&] { return f.deliver(program, &call); });
    bool right = true;
    for (int i = 0; i < 48; ++i) right = right && buffers.o[i] == 100 - 0.75 * i;
    contract.expect(right, "launch: the float64 form computes o = a + b");
    if (HONE_OFFERS(&f, null_call)) succeeds("null_call", [&] { return f.null_call(program); });
}

void* open_reference(Contract& contract, const hone_reference& f, const hone_device& device, const char* source,
                     const char* form = "float64", hone_rc* answer = nullptr) {
    Json task = sample_task();
    task["source"] = source;
    const Lent lent(task, "hone.Task");
    void* program = nullptr;
    const hone_rc rc =
        contract.call("open", [&] { return f.open(contract.self(), &device, lent.doc(), form, &program); });
    if (answer) *answer = rc;
    contract.expect((rc == HONE_OK) == (program != nullptr), "open: gives a program or an error");
    return program;
}

}  // namespace

void check_timer(Contract& contract) {
    const auto& f = contract.functions<hone_timer>();
    contract.expect(*f.kinds && *f.unit, "a timer names its kinds of device and its unit");
    const std::string kind = std::string(f.kinds).substr(0, std::string(f.kinds).find(' '));
    const hone_device device{sizeof device, kind.c_str(), 0, nullptr, nullptr};
    const hone_rc rc = f.attach ? contract.call("attach", [&] { return f.attach(contract.self(), &device); }) : HONE_OK;
    contract.expect(rc != HONE_BROKEN,
                    "attach: a machine that does not fit is REFUSED or FAILED (" + contract.error() + ")");
    if (rc != HONE_OK) std::printf("attach: %s\n", contract.error().c_str()), contract.cannot_be_used();
    const int broken = contract.broken();
    if (HONE_OFFERS(&f, facts)) check_facts(contract, f.facts);
    if (rc != HONE_OK || contract.broken() > broken) return;  // what is wrong in its facts decides how it is read
    if (f.flush && kind == "cpu") check_flush(contract, f);
    else if (f.flush) contract.not_asked("flush");
    Collect told;
    if (HONE_OFFERS(&f, facts)) f.facts(contract.self(), told.out());
    const double window = told.json().value("least_window", 0.0), seconds = readable_seconds(f, told.json());
    contract.expect(window < longest_window, "facts: least_window is shorter than a minute");
    check_time(contract, f, seconds);
    const std::string unit_fault = fault_of_unit(told.json().value("unit", std::string(f.unit)));
    contract.expect(unit_fault.empty(), contract.name() + ": " + unit_fault);
    show_readings(contract, f, told.json(), seconds, kind == "cpu");
    if (kind == "cpu" && contract.broken() == broken) check_growth(contract, f, told.json());
}

void check_reference(Contract& contract) {
    const auto& f = contract.functions<hone_reference>();
    const hone_device host{sizeof host, "cpu", 0, nullptr, nullptr};
    void* program = open_reference(
        contract, f, host,
        "return {reference = function(a, b) if array then return array.map(function(x, y) return x + y end, a, b) end "
        "return torch.add(a, b) end}");
    if (!program)
        program = open_reference(
            contract, f, host,
            "return {reference = function(a, b) return array.map(function(x, y) return x + y end, a, b) end}");
    contract.expect(program != nullptr, "open: knows torch.add or array.map (" + contract.error() + ")");
    hone_rc unknown = HONE_OK;
    open_reference(contract, f, host, "return {reference = function(a, b) return a end}", "sonnet", &unknown);
    contract.expect(unknown == HONE_FAILED, "open: a form that it does not have is FAILED");
    if (program) check_truth(contract, f, program);
    if (program) f.close(program);
    contract.expect(!open_reference(contract, f, host, "return {reference = function("),
                    "open: refuses a source that is no Lua");
    if (HONE_OFFERS(&f, facts)) check_facts(contract, f.facts);
}

}  // namespace hone::contract
