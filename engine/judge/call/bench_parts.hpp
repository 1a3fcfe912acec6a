// judge/call/bench_parts.hpp: the three parts that a bench holds, as values with methods. Codes of the boundary become
// exceptions (parts/handle.hpp); what a candidate did wrong comes back as a CandidateFailure.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include "domain/candidate.hpp"
#include "domain/judgement.hpp"
#include "domain/task.hpp"
#include "hone/memory.hpp"
#include "judge/call/readings.hpp"
#include "parts/handle.hpp"

namespace hone {

struct CandidateFailure {  // how a candidate failed
    Verdict verdict;
    std::string reason;
    Json facts;
    Json details = nullptr;  // {property, output, shape, ...}: see domain/judgement.hpp
};

// FAILED of a verifier, from open on and of its memory: about this candidate nothing is known, the next may do.
struct ItemFailed : PartFailed {
    using PartFailed::PartFailed;
};

// What FAILED means is for the caller to say: PartFailed of the call becomes Lost (ItemFailed, ReadingLost).
template <class Lost, class Call> void failing_as(Call&& call) {
    try {
        call();
    } catch (const PartFailed& e) {
        throw Lost(e.what());
    }
}

class Subject {  // one candidate, built and loaded
public:
    // prepacks: each call comes after a prepack() with the same arguments, waited for likewise.
    Subject(const Handle&, const hone_verifier&, void* subject, bool prepacks);
    Subject(Subject&&) noexcept;
    Subject& operator=(Subject&&) = delete;
    ~Subject();
    void launch(const hone_call&);
    bool prepacks() const { return prepacks_; }
    void prepack(const hone_call&);
    // Until the call has ended; inside: seconds as the candidate's own process saw them, NaN if it does not say.
    std::optional<CandidateFailure> wait(double seconds, double& inside);
    void suspend(bool suspended);                             // does nothing where the verifier cannot
    std::optional<CandidateFailure> check(const hone_call&);  // the verifier's own rules
    bool offers_null_call() const { return timing_ && HONE_OFFERS(timing_, null_call); }
    void null_call();  // launches without work
    // what of a launch need not be timed; nothing where the verifier does not offer it
    void prepare(const hone_call&);
    // seconds of the last call by a profiler beside the candidate; NaN: none
    double recorded();
    int process();                                      // that runs its calls
    std::uint64_t channel() const { return channel_; }  // see hone_run; no two subjects share one
private:
    std::uint64_t channel_;
    const Handle* handle_;
    const hone_verifier* functions_;
    const hone_timing* timing_;
    const hone_rules* rules_;
    void* subject_;
    bool prepacks_;
};

class Verifier : public Memory {
public:
    explicit Verifier(const Recipe&);
    Json brief(const Task&) const;  // {text, fences, prototype, tier, empty?}
    hone_device device();
    // A subject, or how the candidate failed; facts receives what the verifier reports of the build.
    std::unique_ptr<Subject> open(const Task&, const Candidate&, Json& facts, std::optional<CandidateFailure>& failure);
    std::uint64_t reserve(std::uint64_t bytes, std::int32_t writable) override;
    void release(std::uint64_t at) override;
    void write(std::uint64_t at, const void* from, std::uint64_t bytes) override;
    void read(std::uint64_t at, void* to, std::uint64_t bytes) override;
    // These three by read and write, where the verifier does not offer them.
    void set(std::uint64_t at, std::uint64_t bytes, std::uint32_t word) override;
    void fill(const hone_tensor&, std::uint64_t key, std::uint32_t number, std::int32_t law, float scale,
              float shift) override;
    void gather(const hone_tensor&, const std::int64_t* index, std::uint32_t n, double* to) override;
    void copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) override;
    void differ(std::uint64_t a, std::uint64_t b, std::uint64_t bytes, std::uint64_t count) override;
    void strays(std::uint64_t at, std::uint64_t bytes, std::uint32_t word, std::uint64_t count) override;
    void widen(const hone_tensor& from, std::uint64_t to) override;
    void moments(const hone_tensor& answer, std::uint64_t truth, std::uint64_t moments) override;
    void local_scale(std::uint64_t truth, std::uint64_t n, std::uint64_t row, double usual, double roundoff,
                     std::uint64_t local_scale) override;
    void compare(const hone_tensor& got, const hone_comparison&, std::uint64_t errors) override;
    const Json& facts() const { return facts_; }  // as of device()
    bool leaves_traces() const { return facts_.value("leaves_traces", 0.0) > 0; }
    bool host_code() const { return facts_.value("host_code", 0.0) > 0; }  // see hone_verifier.facts
    const std::string& id() const { return handle_.recipe().id; }
    bool offers_probe() const { return probe_ != nullptr; }
    // What it finds when it tries out what its walls rest on (hone/ext/probe.h), which becomes the fact "probe".
    // flush: the timer's, if it has one.
    Json probe(const std::function<void()>& flush);
    bool offers_suspend() const { return timing_ && HONE_OFFERS(timing_, suspend); }

private:
    Handle handle_;
    const hone_verifier& functions_;
    const hone_device_data* data_;
    const hone_probe* probe_;
    const hone_timing* timing_;
    Json facts_;
};

class ReferenceProgram {  // a task's own definition in one form
public:
    // From here on it works in this process: every call's tensors are read from `memory`, which must outlive the
    // program, and its outputs are written there. For devices that no reference runs on.
    void stage(Memory& memory) { memory_ = &memory; }
    bool staged() const { return memory_ != nullptr; }
    ReferenceProgram(const Handle&, const hone_reference&, void* program);
    ReferenceProgram(ReferenceProgram&&) noexcept;
    ReferenceProgram& operator=(ReferenceProgram&&) = delete;
    ~ReferenceProgram();
    void launch(const hone_call&);
    void wait();                     // until all launched is finished, where the verifier's queue does not tell
    double inside() const;           // after wait: seconds of the last call by the device's own events; NaN: not told
    void deliver(const hone_call&);  // after wait: the results are then in the call's outputs, for who looks at them
    bool offers_null_call() const { return HONE_OFFERS(functions_, null_call); }
    void null_call();

private:
    const Handle* handle_;
    const hone_reference* functions_;
    void* program_;
    Memory* memory_ = nullptr;  // where the tensors of its calls lie, if not in this process's or its device's
};

class Reference {
public:
    explicit Reference(const Recipe&);
    ReferenceProgram open(const hone_device&, const Task&, const char* form);
    Json facts() const;

private:
    Handle handle_;
    const hone_reference& functions_;
};

class Timer {
public:
    explicit Timer(const Recipe&);
    // Throws Error(input) if the timer does not know this kind of device. From then on the numbers below are known.
    void attach(const hone_device&);
    bool offers_flush() const { return HONE_OFFERS(&functions_, flush); }
    // Nothing where the timer does not offer it. It and time() throw ReadingLost where the timer says FAILED.
    void flush(const hone_call&);
    hone_sample time(const hone_run&);
    // Throws PartBroken if it is none: NaN, infinite, below 0; 0 of a timer that tells no resolution.
    void require_reading(const hone_sample&) const;
    void begin_judging() { readings_.begin_judging(); }  // what follows are readings of another
    // Throws PartBroken where no clock can have given this one, or all of this judging.
    void add_reading(const hone_sample&, const RunTimes&);
    std::string discards() const;  // `timer "x" discarded 9 of 12 readings`, where that is half of them; else ""
    [[noreturn]] void broke(const std::string& promise) const;  // PartBroken in the timer's name
    const std::string& name() const { return handle_.name(); }
    const std::string& unit() const { return unit_; }
    double resolution() const { return resolution_; }      // in the unit; 0: not told
    double least_window() const { return least_window_; }  // seconds; 0: a run is one call
    Json facts() const;

private:
    Handle handle_;
    const hone_timer& functions_;
    std::string unit_;
    double resolution_ = 0, least_window_ = 0;
    Readings readings_;
};

// Why a timer cannot have such a unit; "": it can.
std::string fault_of_unit(const std::string& unit);

}  // namespace hone
