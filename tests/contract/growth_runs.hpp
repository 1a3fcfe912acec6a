// growth_runs.hpp: runs of known work that a timer reads, in random order, and what their readings are on the whole.
#pragma once
#include <sys/types.h>
#include <cstddef>
#include <vector>
#include "contract.hpp"
#include "phase.hpp"

namespace hone::contract {

constexpr int growth_sizes[] = {1, 4, 16};  // units of work
constexpr int pause_units = 4;              // that nothing is done before half of the runs

struct Took {
    double core = 0, wall = 0;  // seconds
};

// A process that works when it is told to, as a candidate does.
class Worker {
public:
    Worker();
    ~Worker();
    Worker(const Worker&) = delete;
    pid_t pid() const { return pid_; }
    bool begin(double steps) const;
    bool end(Took& took) const;

private:
    pid_t pid_ = -1;
    int to_ = -1, from_ = -1;
};

struct Reading {
    int units, before;  // of the run before it
    bool paused;        // nothing was done for a while before it
    double value, core, wall, independent, tolerance;
    double disturbance() const { return wall - core; }
    double gap() const { return independent - value; }
};

using Readings = std::vector<Reading>;

struct Timed {  // what is read, and by whom
    Contract& contract;
    const hone_timer& f;
    double unit;                     // seconds of work
    const Worker* worker = nullptr;  // null: this process works
    bool in_calls = false;           // a unit is a call of the run, and not a part of its only one
};

// Each size so many times, added to what was read before.
void read_all(const Timed&, const std::vector<int>& units, int rounds, Readings&, Phase&);
Readings of_size(const Readings&, int units);
Readings quietest(Readings, std::size_t n);  // that others disturbed least
// The median of the quarter of the runs of that size that others disturbed least, of all tries together: on a busy
// machine most are not as long as their work.
double middle(const Readings&, int units, double Reading::*what);
double middle_gap(const Readings&, int units);  // of independent clock and value
// How much more is read, on the median, after a run of 16 units than after one of 1; after a pause than without.
double carried_by_work(const Readings&);
double carried_by_pause(const Readings&);

}  // namespace hone::contract
