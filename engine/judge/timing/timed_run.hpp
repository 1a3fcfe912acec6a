// judge/timing/timed_run.hpp: one side's calls as a timer sees them (hone_run), and whether the timer did with them
// what hone/timer.h says: launched each once and waited for them. What goes wrong inside is kept, because exceptions do
// not cross the boundary.
#pragma once
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <thread>
#include <vector>
#include "base/core_waits.hpp"
#include "judge/call/bench_parts.hpp"
#include "judge/call/call_setup.hpp"
#include "judge/call/prepared_task.hpp"

namespace hone {

class TimedRun {
public:
    // subject null: the reference, before which `nothing`, if there is one, is run. planted: share of its own time by
    // which a call of a subject is prolonged. The calls are those of the task's layouts as they lie there.
    struct Limits {
        double call, run;  // seconds of one call, of all together
    };
    TimedRun(PreparedTask&, Subject* subject, Subject* nothing, Limits, double planted);
    TimedRun(const TimedRun&) = delete;  // the timer holds its address
    // Just before a call that follows another is launched, the outputs of the one before are sampled at their
    // positions, and then it gets its inputs. One entry a call. hold: it stands still until it is launched, or a second
    // thread of its would compute what it sees being copied. which: data: the first call gets its inputs so, too.
    struct Late {
        std::vector<const InputSet*> inputs;
        std::vector<Positions> positions;
        bool hold;
        Inputs which = Inputs::all;
    };
    void put_late(Late late, CallSetup& setup) { late_.emplace(std::move(late)), setup_ = &setup; }
    const std::vector<Samples>& seen() const { return seen_; }  // of each call; empty: no call followed it
    // For hone_run.look: one entry a call.
    void put_look(std::vector<Positions>, CallSetup&);
    const std::vector<Samples>& looked() const { return looked_; }  // by the last look; empty: there was none
    // From here on `empty` answers null calls of a candidate. apart: see hone_run.zero_apart.
    void answer_null_calls(Subject& empty, bool apart);
    void set_zero_apart() { run_.zero_apart = 1; }  // of the reference's
    // Lets the timer take its zero in place of a reading. Throws as read does.
    void take_zero(Timer&);
    // read() watches how long the side's threads wait for a core.
    void watch(CoreWaits& waits) { waits_ = &waits; }
    double waited() const { return waited_; }  // seconds, of the thread that waited longest in all calls; 0: unwatched
    // Lets the timer measure. Of no meaning where failure() is set then. Throws what a launch or a wait threw,
    // ReadingLost, and PartBroken where the timer gave no reading or did not keep its contract.
    hone_sample read(Timer&);
    void end();                                         // waits for a call that the timer has left alone
    double inside() const { return inside_; }           // of all calls by the process that ran them; NaN: not told
    double seconds() const { return ended_ - begun_; }  // from the first launch until the last call had ended
    std::uint32_t calls() const { return run_.calls; }
    const std::optional<CandidateFailure>& failure() const { return failure_; }  // of the candidate

private:
    template <class Body> static hone_rc guarded(void* ctx, Body&& body);
    static hone_rc launch(void* ctx, std::uint32_t call);
    static hone_rc wait(void* ctx, double* inside);
    static hone_rc null_call(void* ctx);
    static hone_rc look(void* ctx);
    void begin(std::uint32_t call);
    void give_inputs(std::uint32_t call);
    void hold();
    double seconds_left() const;  // of the present call
    void let_end();
    void await();
    void linger() const;
    void launch_reference(const hone_call&);
    hone_rc refuse(std::string fault);
    // A team of threads belongs to the thread that began it: to calls of another one each run would be the first.
    bool is_elsewhere() const { return std::this_thread::get_id() != thread_; }
    void require_each_once();
    std::vector<pid_t> processes() const;

    PreparedTask& prepared_;
    Subject *subject_, *nothing_;
    Limits limits_;
    std::optional<Late> late_;
    std::vector<Samples> seen_, looked_;
    std::vector<Positions> look_at_;
    std::optional<std::uint32_t> before_;  // the call that was launched last
    CoreWaits* waits_ = nullptr;
    double waited_ = 0;
    Subject *empty_ = nullptr, *runs_;  // runs_: what was launched last; null: the reference
    CallSetup* setup_ = nullptr;
    double planted_, inside_ = 0, begun_ = 0, ended_ = 0, call_begun_ = 0;
    std::vector<bool> launched_;
    bool running_ = false;
    hone_run run_{};
    const std::thread::id thread_ = std::this_thread::get_id();
    std::string fault_;  // of the timer
    std::optional<CandidateFailure> failure_;
    std::exception_ptr error_;
};

}  // namespace hone
