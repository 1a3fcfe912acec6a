// judge/call/bench_context.hpp: the fixed apparatus of a bench: device, clock, memory, settings. Candidates and tasks
// come and go; this stays.
#pragma once
#include <functional>
#include <set>
#include "judge/call/arena.hpp"
#include "judge/call/bench_parts.hpp"
#include "judge/call/call_setup.hpp"
#include "judge/call/prepared_task.hpp"
#include "judge/call/settings.hpp"

namespace hone {

struct BenchContext {
    Verifier& verifier;
    Timer& timer;
    Settings settings;
    Arena arena;
    CallSetup setup;
    std::string device_kind;
    bool real_clock = true;     // false: one that no load of this machine disturbs
    std::set<int> cores;        // numbers of those that the bench and its candidates may use
    bool code_on_host = false;  // candidates' own code runs on this machine's cores, also between calls
    // Candidates' code commands the device itself, also beside a clock and beside others' calls (hone_verifier.facts).
    bool host_code = false;
    // A program can leave words for a later process (hone_verifier.facts): neither two candidates nor the timed calls
    // of two processes have the same inputs then.
    bool leaves_traces = false;
    // Baseline and empty calls are then timed while no candidate is open.
    bool apart() const { return host_code && settings.has("apart"); }
    // Deviation, in the timer's unit, of one program's times from process to process by the timer's facts, and of its
    // independent clock's (hone_sample); of candidates the verifier may tell more.
    double process_spread = 0, independent_spread = 0, candidate_spread = 0;
    std::string lost_reading;  // why the timer lost one of this judging's; empty: it lost none
    // A program that does nothing; null where the verifier names none. It is run in the reference's window, or with
    // host_code answers null calls.
    std::unique_ptr<Subject> empty;
    Subject* empty_in_window() const { return host_code ? nullptr : empty.get(); }

    // To be called before each run, which has a limit of its own, and while sets of inputs are made, which is nobody's
    // time: the worker's patience begins anew.
    std::function<void()> still_alive = [] {};

    // Makes room in the arena for a problem, before any program is opened. Where addresses changed, the empty program
    // is closed.
    void make_room(const PreparedTask&);
    void open_empty(const Task&);  // if it is not open (with host_code: for this task) and the verifier names one

    BenchContext(Verifier& v, Timer& t, Settings s)
        : verifier(v), timer(t), settings(std::move(s)), arena(v, settings.has("input-seal")), setup(arena, settings) {}
    BenchContext(const BenchContext&) = delete;

private:
    std::string empty_for_;  // hash of the task
};

}  // namespace hone
