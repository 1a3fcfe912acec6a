// sandbox/jail.hpp: a confined process that holds one untrusted candidate, seen from the bench. What the jail itself
// says (that a call ended, how long it took) is a hint; that it died, hung or asked the kernel for something forbidden
// comes from the kernel.
//
// A hand-over costs about 5 us where bench and jail share a core and up to a hundred across cores, so both keep to the
// first of OMP_PLACES.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>
#include "base/process.hpp"
#include "hone/abi.h"
#include "sandbox/runner/control.hpp"
#include "sandbox/team.hpp"

namespace hone {

struct JailEnd {
    std::string verdict;  // RUNTIME_ERROR, TIMEOUT, OUT_OF_MEMORY, REWARD_HACK, LAUNCH_ERROR
    std::string kind;     // REWARD_HACK: "network", "files", ... (sandbox/filters.hpp)
    std::string reason;
};

// What a worker starts its bench number `bench` with: the size and the manners of OpenMP teams. Jails get the same from
// the bench, so that the reference in the bench and a candidate in its jail have as many threads on the same cores,
// spinning for as long. Bench i begins at core i.
std::vector<std::string> team_environment(int threads, int bench);
// Puts the calling thread on the first of OMP_PLACES, if there are any. A bench calls it once its parts are made:
// threads that a part starts later would otherwise be kept on that one core too, and an OpenMP runtime loaded later
// would know no other.
void keep_to_first_place();

std::string seconds_text(double seconds);  // "0.500 s"
// How a process that died of a signal is called: "SIGSEGV (Segmentation fault)".
std::string signal_text(int number);

// Throws Error(environment) where host code must be refused.
void require_confinement(const std::set<std::string>& without);

class Jail {  // of one thread
public:
    // Starts the standard runner and waits until the candidate's library is loaded: 0.25 s, or 20 times what the runner
    // itself took to start, and up to 5 s where it is given no core. without: defences that are switched off. Throws
    // Error if the plan or the machine is at fault; a candidate that fails to start makes an ended jail (see `end`).
    Jail(const hone_jail_plan& plan, const std::set<std::string>& without);
    ~Jail();
    const std::optional<JailEnd>& end() const { return end_; }

    void call(const hone_call&);  // rings the bell. Throws Error(input) for an address outside the plan's regions
    // false: ended. inside: seconds by the jail's clock, a hint. Where its first thread was given less than half of
    // `seconds` to work, because the machine stood still or its team had no core, it has 0.75 s.
    bool wait(double seconds, double* inside);
    // true: returns when all its threads are stopped, or the jail has ended because they could not be. They stand until
    // the bell of its next call after false: let run a moment earlier, with its inputs in place, it works before the
    // clock does.
    void suspend(bool held);
    pid_t pid() const { return child_.pid(); }

private:
    void prepare(const hone_jail_plan&);
    void spawn();
    void receive_listener();
    std::uint64_t map(std::uint64_t at) const;
    void load(double usual);  // lets the runner, which took so many seconds to start, load the candidate's library
    bool await(const std::function<bool(double passed)>& late);
    void release();
    bool look();               // at deaths and memory; false: ended
    int wait_until_stopped();  // CLD_STOPPED, or how it has ended (CLD_EXITED, ...); 0: neither
    struct Schedule {
        // seconds on a core, and ready for one, up to when it last left or got it; 0: it is gone, or the kernel does
        // not tell
        double worked = 0, waited = 0;
    };
    Schedule schedule() const;                      // of its first thread
    std::size_t answer_questions(int patience_ms);  // how many there were
    void answer(const struct seccomp_notif&);
    void start_thread(const seccomp_notif&);
    void replace_thread();
    void end_thread(const seccomp_notif&);
    void explain_death();
    void explain_exit();
    void explain_signal(int number);
    void explain_raised(int number);
    std::optional<int> harmless(const struct seccomp_data&) const;
    bool is_shared(std::uint64_t address) const;  // in the candidate's process
    void finish(std::string verdict, std::string kind, std::string reason);

    std::set<std::string> without_;
    std::vector<hone_region> regions_;
    std::vector<std::uint64_t> bases_;  // where the jail has them; the control page is not to be trusted with it
    std::size_t threads_ = 1;
    Child child_;
    Team team_;
    struct Start {
        pid_t thread;  // that asks for another
        std::uint64_t question;
        double since;
    };
    std::optional<Start> starting_;
    Fd control_file_, library_, socket_, listener_, schedule_;
    JailControl* control_ = nullptr;
    std::uint64_t memory_limit_ = 0, memory_seen_ = 0;  // of its address space, in bytes
    double seconds_per_tick_ = 0;
    double at_bell_ = 0;  // processor seconds
    double slice_ = 0;    // until the next look
    std::uint32_t calls_ = 1;
    bool opened_library_ = false, looked_at_library_ = false, started_ = false, asked_ = false, stopped_ = false;
    std::optional<JailEnd> end_;
};

}  // namespace hone
