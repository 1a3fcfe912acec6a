// run/run.hpp: the run object: its journal, its random streams, and the operations by which a script is recorded and
// resumed.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>
#include "base/process.hpp"
#include "domain/judgement.hpp"
#include "parts/budget.hpp"
#include "run/pace.hpp"
#include "run/session.hpp"
#include "store/journal.hpp"

namespace hone {

class PolicySession;
class JudgeSession;

// Seconds that this process spent since it opened the run, by what the script waited for.
struct Spent {
    double sampling = 0, judging = 0, learning = 0;
    double verifying = 0, timing = 0;  // of the judging: when a bench ran programs
};

class Spending {  // adds its lifetime to one of them
public:
    explicit Spending(double& total) : total_(total), begun_(monotonic_seconds()) {}
    ~Spending() { total_ += monotonic_seconds() - begun_; }
    Spending(const Spending&) = delete;

private:
    double &total_, begun_;
};

class Run {
public:
    Run(Session&, Journal, std::uint64_t seed, std::int64_t updates_a_checkpoint, bool resumed);

    // One blocking call of the script. body gets the number of the operation and returns its result, unless the journal
    // has one.
    Json operation(const std::string& kind, const Json& key, const std::function<Json(std::int64_t)>& body);
    // The pieces of it, for calls that commit on the way. Checks --set and Ctrl-C first.
    std::int64_t begin(const std::string& kind, const Json& key, const Journal::Words& words = {});
    bool next_is_recorded() const { return journal.result(last_op_ + 1).has_value(); }
    std::int64_t last_op() const { return last_op_; }

    std::uint64_t derive(const std::string& stream) const;  // a seed for a stream of that name
    std::string unique_name(const std::string& id);         // "bigram", then "bigram#2"
    std::string path(const std::string& relative) const { return journal.folder() + "/" + relative; }
    void save_policies();                     // a checkpoint of each that learnt since its last
    void note_end(const std::string& state);  // "finished", "failed" or "interrupted", for `hone runs`
    // The same after an error: a resumed run that was refused before it did anything is what it was.
    void note_error(const std::string& state);
    void note_module(const std::string& file, const std::string& sha256);  // tells of one that is not the recorded one
    void tell_left() const;  // what the script left behind at its end: programs not collected, operations not reached
    JudgeSession& default_judge() const;  // the first; throws Error(input) if there is none

    Session& session;
    Journal journal;
    const std::string name;
    const std::uint64_t seed;
    const std::int64_t updates_a_checkpoint;
    const bool resumed;
    std::vector<std::weak_ptr<PolicySession>> policies;
    std::vector<std::weak_ptr<JudgeSession>> judges;
    std::vector<Json> stage_rows;
    std::set<std::string> task_names;   // of the suites that the script opened
    std::map<std::string, Pace> paces;  // by stage and what it counts
    std::size_t lost_in_a_row = 0;      // answers of the last rollouts, each of them lost as a whole
    bool has_judged = false;            // since this start: some answer
    bool broken_off = false;            // by an error while answers were asked for or judged: a resume goes on there
    std::size_t uncollected = 0;        // programs submitted to judges that are gone, and never collected
    Spent spent;
    Budget budget;         // of its policies
    double paid_kept = 0;  // of what it has paid, as the journal holds it
    const double opened = monotonic_seconds();
    // Adds what its bench worked; tells, once for each reason, that a judgement is no score.
    void judged(const Judgement&);
    // Tells people why an answer is lost, once for each kind of reason. title: of the rollout
    void tell_loss(const std::string& title, const std::string& reason);
    // What an error of a policy is where the budget has refused it: how much was spent, and the way on.
    [[noreturn]] void budget_is_spent() const;

private:
    std::int64_t last_op_ = 0, committed_before_;  // rows of its journal when this process opened it
    std::vector<std::string> names_;
    std::set<std::string> told_losses_;     // their kinds
    std::set<std::string> told_no_scores_;  // why
};

std::shared_ptr<Run> open_run(Session&, const std::string& name, const std::string& folder, std::uint64_t seed,
                              std::int64_t updates_a_checkpoint, std::optional<double> budget = {});
}  // namespace hone
