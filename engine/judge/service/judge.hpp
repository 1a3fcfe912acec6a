// judge/service/judge.hpp: the engine's side of the judge: candidates in, judgements out. Starts one worker a device;
// workers supervise benches (docs/wire.md, "Frames"). Entered by one thread.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>
#include "base/options.hpp"
#include "domain/candidate.hpp"
#include "domain/judgement.hpp"
#include "domain/task.hpp"
#include "parts/library.hpp"

namespace hone {

struct JudgePlan {
    Recipe verifier, timer, reference;
    Json options;  // checked against judge_options() (judge/call/settings.hpp)
};

class Judge {
public:
    explicit Judge(JudgePlan plan);  // workers start at the first submit
    ~Judge();
    // What the verifier tells a prompt about a task: {text, fences, prototype, tier}. Asked of an instance in this
    // process.
    Json brief(const Task&);
    // Judges candidate; with `against`, the ratio is taken to that program instead of the reference. Results come back
    // in any order.
    void submit(std::uint64_t ticket, const Task&, const Candidate&, const Candidate* against = nullptr);
    // nullopt: none ready in time, or none pending
    std::optional<std::pair<std::uint64_t, Judgement>> collect(double seconds);
    std::size_t pending() const;
    // What the bench that spoke last is at (docs/wire.md, frame `phase`), as collect() has heard; "" before the first.
    const std::string& phase() const;
    // No bench does anything but wait for the machine, for a second already: another program of hone has it.
    bool waits() const;
    void cancel();       // forgets all pending work; running candidates are killed
    Json facts() const;  // device, sandbox level, threads, versions; empty until a bench has said hello
    const JudgePlan& plan() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

// Entries of the hidden subcommands `hone worker` and `hone bench` (stdin and stdout are frames).
int worker_main();
int bench_main();

}  // namespace hone
