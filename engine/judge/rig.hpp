// judge/rig.hpp: the fixed apparatus of a bench: device, clock, memory, settings. Candidates and tasks come and go; this stays.
#pragma once
#include "judge/arena.hpp"
#include "judge/bench_parts.hpp"
#include "judge/peaks.hpp"
#include "judge/problem.hpp"
#include "judge/settings.hpp"
#include "judge/stage.hpp"

namespace hone {

struct Rig {
    Verifier& verifier;
    Timer& timer;
    Settings settings;
    Arena arena;
    Stage stage;
    std::string device_kind;
    std::optional<Peaks> peaks;      // of the device; measured when something is timed for the first time
    bool real_clock = true;          // false: the fake device's, which no load of this machine disturbs
    bool code_on_host = false;       // candidates' own code runs on this machine's cores, also between calls
    // Deviation, in the timer's unit, of one program's times from process to process, and of its witness's (hone_sample), by the timer's facts.
    double process_spread = 0, witness_spread = 0;
    std::unique_ptr<Subject> empty;  // a program that does nothing, for the reference's window; null where the verifier names none

    // Makes room in the arena for a problem, before any program is opened. Where addresses changed, the empty program is closed.
    void make_room(const Problem&);
    void open_empty(const Task&);  // if it is not open and the verifier names one

    Rig(Verifier& v, Timer& t, Settings s) : verifier(v), timer(t), settings(std::move(s)), arena(v, settings.has("input-seal")), stage(arena, settings) {}
    Rig(const Rig&) = delete;
};

}  // namespace hone
