// judge/rig.hpp: the fixed apparatus of a bench: device, clock, memory, settings. Candidates and tasks come and go; this stays.
#pragma once
#include "judge/arena.hpp"
#include "judge/bench_parts.hpp"
#include "judge/problem.hpp"
#include "judge/settings.hpp"
#include "judge/stage.hpp"

namespace hone {

struct Peaks {  // what no program can exceed on this device; 0: unknown
    double bytes_per_second = 0, flops_per_second = 0;
};

// From the verifier's facts, else measured for the host: in cache and with every core, so that the floor is one under any honest time.
Peaks find_peaks(const Json& verifier_facts, const std::string& device_kind);

struct Rig {
    Verifier& verifier;
    Timer& timer;
    Settings settings;
    Arena arena;
    Stage stage;
    Peaks peaks;
    bool real_clock = true;          // false: the fake device's, which no load of this machine disturbs
    std::unique_ptr<Subject> empty;  // a program that does nothing, for the reference's window; null where the verifier names none

    // Makes room in the arena for a problem, before any program is opened. Where addresses changed, the empty program is closed.
    void make_room(const Problem&);
    void open_empty(const Task&);  // if it is not open and the verifier names one

    Rig(Verifier& v, Timer& t, Settings s) : verifier(v), timer(t), settings(std::move(s)), arena(v), stage(arena, settings) {}
    Rig(const Rig&) = delete;
};

}  // namespace hone
