// run/rollout.hpp: run:rollout: answers to prompts, judged. Committed member by member in (group, member) order before
// anybody sees them; what the journal holds is neither sampled nor judged again. What is lost (the policy gave no
// answer, nobody could judge it) is committed last, with the end of the operation. Where too much is lost, run() throws
// Error(environment) instead, so that a resumed run asks for those answers and judgements again. Policies that work
// elsewhere write at the same time, are judged while they still write, and their answers are committed as they come;
// those that share the machine write first, one after the other, and are then asked to be quiet.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include "base/progress.hpp"
#include "run/losses.hpp"
#include "run/remote_answers.hpp"
#include "run/rollout_plan.hpp"

namespace hone {

// A refusal, of the model or of a filter, says nothing about a program.
bool refused(const Json& answer);
// Also where a server is down or the network is gone. Only an operation that has ended keeps it: else a resumed run
// asks again.
bool gave_none(const Json& answer);

class Rollout {
public:
    struct Member {
        std::optional<Json> answer;
        std::optional<Judgement> judgement;
        ParsedAnswer parsed;
        std::optional<std::uint64_t> ticket;
        bool kept = false;  // the journal has the answer
    };
    // ask: calls a policy that is a Lua function for one member and returns its text.
    using Ask = std::function<std::string(std::size_t prompt, int member, std::uint64_t seed)>;
    Rollout(RolloutPlan, Ask ask);
    void run();
    const Member& member(std::size_t group, int member) const {
        return members_[group * static_cast<std::size_t>(plan_.group) + static_cast<std::size_t>(member)];
    }
    std::int64_t op() const { return op_; }
    const RolloutPlan& plan() const { return plan_; }

private:
    // The members of one policy that have no answer yet.
    struct Asking {
        PolicySession* policy;
        std::vector<SampleRequest> requests;
        std::vector<std::size_t> first;  // of the members that a request, known by its tag, asks for
    };
    Run& run_() const { return plan_.run(); }
    Slot slot(std::size_t i) const { return {op_, static_cast<int>(i / size_), static_cast<int>(i % size_)}; }
    const RolloutPrompt& prompt_of(std::size_t i) const { return plan_.prompts[i / size_]; }
    std::uint64_t seed_of(std::size_t group) const;
    void restore();
    void sample();
    void sample_here(const Asking&, RemoteAnswers& away, const std::vector<Asking>& asked_away);
    void sample_script(const Asking&);
    void sample_away(RemoteAnswers&, const std::vector<Asking>&);
    Asking unanswered(PolicySession&) const;
    std::size_t give(const Asking&, const Answer&);
    std::vector<std::size_t> take(RemoteAnswers&, const std::vector<Asking>&, double seconds);
    void end_of(const Asking&);
    std::vector<Policy*> here() const;
    void take_answer(std::size_t i, Json answer);
    void parse(std::size_t i, Json answer);
    std::string why_no_program(const Member&) const;
    void submit(std::size_t i);
    void judged(std::size_t i, Judgement);
    void receive(double seconds);
    void judge();
    void put_prompt(std::size_t group);
    void commit_at_times();
    void commit();
    std::vector<std::size_t> put_answers();
    void put_judgements();
    void put_paid(double usd, double maybe);
    void put_judgement(std::size_t i);
    void end();
    std::string title() const;
    std::ptrdiff_t answered() const;
    std::string cost() const;
    std::string waits() const;
    void show();

    RolloutPlan plan_;
    std::vector<PolicySession*> policies_;
    bool some_are_remote_;
    Ask ask_;
    std::size_t size_;
    std::vector<Member> members_;
    std::vector<std::size_t> waiting_;          // with a ticket, no judgement
    std::size_t answers_ = 0, judgements_ = 0;  // committed or lost, from the front
    Losses losses_;
    std::int64_t op_ = 0;
    double committed_ = 0;  // when, on the monotonic clock
    std::optional<Progress> progress_;
};

}  // namespace hone
