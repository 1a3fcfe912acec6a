// A clock that device code cannot forge. It starts when the bench asks for the launch and stops when a kernel of the
// bench's own, launched as soon as that launch call has returned, has run: on one device the probe's context has its
// turn only after the candidate's kernel has ended. What the two changes of context cost is measured with empty calls
// by the same way and taken off; their kernel waits a while, so that the clock ends with the device's work in them as
// in others and not with the host's. Where host code of the candidate's commands the device, the clock stops when the
// bench has read outputs, in place of a kernel that does nothing (hone_run.look): copy engines and queues that wait
// take no turns. CUDA events and stream completion, in contrast, can be written by any kernel of the context they
// belong to; but two events of one queue differ by the kernel between them within 0.1 us, while what a
// change of contexts costs differs by a microsecond from process to process.
#pragma once
#include <map>
#include <optional>
#include <vector>
#include "cuda/driver.hpp"
#include "cuda/nvml.hpp"
#include "hone/plugin.hpp"

namespace hone::cuda {

// By how much the times of one kernel differ from process to process (deviation; on an H200, of kernels of 30 to 480 us
// alike: 59 pairs of processes differed by 0.23 us, rms).
constexpr double events_spread = 0.18e-6, probe_spread = 0.5e-6;

// Seconds of one call, what an empty call takes off each.
struct Reading {
    double probed = 0;  // until a probe had run after which nothing of the code was left
    double waited = 0;  // until the code's process said that it had finished
    double inside = 0;  // between the events of the code's process; NaN: it has none
    int turns = 0;      // probes before the last one, each a turn in the middle of a long kernel
    bool busy = false;  // something else was running before: a kernel of an earlier call, perhaps
};

// How often the empty calls are made that the clock's zero is the middle of: so many at first, then this share of the
// calls.
struct EmptyCalls {
    std::size_t first;
    double share;
};
constexpr EmptyCalls for_a_clock{16, 0.4}, for_an_independent_clock{8, 0.15};  // whose microseconds count less

class ProbeClock {
public:
    static constexpr hone_option flush_option = {
        "flush", "int", "120", "0..4096", "MiB written before each call, so that no cache line is left: twice the L2"};

    // name: of the timer, for errors. with_probe false: nothing of the bench's runs beside the call, and Reading.probed
    // is 0.
    ProbeClock(Host, Doc options, const char* name, EmptyCalls, bool with_probe = true);
    void attach(const hone_device&);
    void flush();  // queued, not waited for
    Reading time(const hone_run&);
    // Of what was timed since the last facts: one judgement.
    void facts(Out);

private:
    // Empty calls by one way to the code, the newest.
    struct Zeros {
        std::vector<Reading> calls;
        double last = 0;  // when a call by this way ended
        long samples = 0, taken = 0;
        bool used = false;         // since the last facts
        int idle = 0;              // facts since it was used
        std::vector<double> gaps;  // of calls since the last facts: what the probe says more than the events
        void add(Reading);
        Reading zero() const;   // the middle of each
        double spread() const;  // of probed: a robust standard deviation
    };

    void add_empty_call(const hone_run&, Zeros&);
    void take_zero(const hone_run&, Zeros&);
    void enter();
    void probe();
    Reading read(const hone_run&, bool empty);
    void follow(Reading&, double begun, double limit);
    void tell_condition(Out);

    Host host_;
    const char* name_;
    EmptyCalls empties_;
    bool with_probe_;
    std::size_t flush_bytes_;
    const Driver* driver_ = nullptr;
    Context context_ = nullptr;
    Stream queue_ = nullptr;
    Function probe_ = nullptr;
    Address flush_at_ = 0;
    bool flushed_ = false;  // and nothing was timed since
    std::map<std::uint64_t, Zeros> zeros_;
    std::vector<double> events_;  // what they add to an empty call of the bench's own, the newest
    double own_zero_ = 0;         // probed, of the bench's own empty calls
    long samples_ = 0, turns_ = 0, busy_ = 0;
    std::optional<Nvml> nvml_;
    std::optional<Condition> condition_;
    double asked_ = 0;  // when
};

}  // namespace hone::cuda
