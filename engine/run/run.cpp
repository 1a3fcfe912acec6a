#include "run/run.hpp"
#include <algorithm>
#include <cmath>
#include "base/error.hpp"
#include "base/host.hpp"
#include "base/paths.hpp"
#include "base/progress.hpp"
#include "base/quantity.hpp"
#include "base/random.hpp"
#include "run/interrupt.hpp"
#include "run/judge_session.hpp"
#include "run/losses.hpp"
#include "run/policy_session.hpp"
#include "store/changes.hpp"
#include "store/report/report.hpp"
#include "store/runs.hpp"

namespace hone {
namespace {

// "resuming runs/x after operation 123 (contrastive-rl step 7/36)"
std::string where_it_goes_on(const Journal& journal) {
    const Json ops = journal.rows("SELECT coalesce(max(op), 0) AS op FROM operation WHERE result IS NOT NULL").at(0);
    const std::string last = last_step(journal);
    return "resuming " + journal.folder() + " after operation " + ops["op"].dump() +
           (last.empty() ? "" : " (" + last + ")");
}

// To a cent, below a cent to two digits; up, so that a budget of as much is enough.
double rounded_up(double usd) {
    const double unit = usd >= 0.01 ? 0.01 : std::pow(10, std::floor(std::log10(usd)) - 1);
    return std::ceil(usd / unit) * unit;
}

// A folder that a run of the same script writes: a second one there would wait for a lock that this process holds.
void refuse_twice(const Session& session, const std::string& folder) {
    for (const auto& run : session.runs) {
        std::error_code code;
        if (!fs::equivalent(folder, run->journal.folder(), code)) continue;
        throw Error(Blame::input, "hone.run", "this script has a run in " + folder + " already",
                    "give the second one another name, or use the first one's value: run = hone.run{...} once");
    }
}

// With --resume the runs of a script that did not get so far begin, once one has gone on.
Journal open_journal(const Session& session, const std::string& folder, const RunInfo& info, bool& resumed) {
    resumed = session.resume && (session.runs.empty() || Journal::exists(folder));
    if (resumed) return Journal::resume(folder, info);
    if (session.resume) Progress::say(folder + " holds no run yet: it begins");
    return Journal::create(folder, info);
}

void tell_changed(const std::string& what) {
    Progress::say(what + " has changed since the run began: what the journal holds was done by the former one");
}

}  // namespace

Run::Run(Session& s, Journal j, std::uint64_t seed_, std::int64_t updates, bool resumed_)
    : session(s),
      journal(std::move(j)),
      name(journal.info().name),
      seed(seed_),
      updates_a_checkpoint(updates),
      resumed(resumed_),
      committed_before_(committed(journal)) {
    budget.paid_before(spent_usd(journal), maybe_usd(journal));
    paid_kept = budget.paid();
}

void Run::judged(const Judgement& judgement) {
    if (judgement.passed())
        for (const std::string& why : judgement.defences_off)
            if (told_no_scores_.insert(why).second)
                Progress::say(name + ": no score (" + why +
                              "): programs that pass so are in no archive and not in `hone best`");
    if (!judgement.wall) return;
    spent.verifying += judgement.wall->verify;
    spent.timing += judgement.wall->time;
}

void Run::tell_loss(const std::string& title, const std::string& reason) {
    if (told_losses_.insert(kind_of_loss(reason)).second) Progress::say(title + ": an answer is lost: " + reason);
}

void Run::budget_is_spent() const {
    const std::string kept = budget.paid() > 0 ? "; what was answered is kept" : "";
    const double next = budget.refused().value_or(0);
    if (next > budget.cap())
        throw Error(Blame::environment, name,
                    "no request fits into the budget of " + dollars(budget.cap()) + ": the next one may cost " +
                        dollars(rounded_up(next)) + ", by the length of its prompt and max_tokens",
                    "resume with a budget above that, or ask for fewer tokens (max_tokens)" + kept);
    throw Error(Blame::environment, name,
                "the budget is spent: " + dollars(budget.paid()) + " of " + dollars(budget.cap()) +
                    (budget.maybe() > 0 ? ", of which " + dollars(budget.maybe()) + " may have been billed" : "") +
                    ", and the next request may cost " + dollars(next),
                "what was answered is kept; resume with a higher budget");
}

std::int64_t Run::begin(const std::string& kind, const Json& key, const Journal::Words& words) {
    check_interrupt();
    refuse_inside(session, kind);
    session.settings.close(kind);
    last_op_ = journal.begin(kind, key, words);
    return last_op_;
}

// One commit in all: what was begun and not ended is not worth a wait for the disk.
Json Run::operation(const std::string& kind, const Json& key, const std::function<Json(std::int64_t)>& body) {
    Json result;
    journal.together([&] {
        const std::int64_t op = begin(kind, key);
        if (auto known = journal.result(op)) {
            result = std::move(*known);
            return;
        }
        result = body(op);
        journal.end(op, result);
    });
    return result;
}

std::uint64_t Run::derive(const std::string& stream) const { return derive_seed(seed, stream); }

std::string Run::unique_name(const std::string& id) {
    const auto count = std::count(names_.begin(), names_.end(), id);
    names_.push_back(id);
    return count == 0 ? id : id + "#" + std::to_string(count + 1);
}

void Run::save_policies() {
    for (const auto& weak : policies)
        if (const auto policy = weak.lock()) policy->checkpoint();
}

void Run::note_end(const std::string& state) { journal.put_event(0, "end", {{"state", state}}); }

void Run::note_error(const std::string& state) {
    const bool nothing_done = resumed && committed(journal) == committed_before_;
    note_end(nothing_done ? state_before_resume(journal) : state);
}

void Run::note_module(const std::string& file, const std::string& hash) {
    if (journal.put_module(file, hash)) tell_changed(file);
}

void Run::tell_left() const {
    std::size_t left = uncollected;
    for (const auto& weak : judges)
        if (const auto judge = weak.lock()) left += judge->submitted.size();
    if (left)
        Progress::say(name + ": " + std::to_string(left) + (left == 1 ? " program was" : " programs were") +
                      " submitted and never collected: no record has " +
                      (left == 1 ? "its judgement" : "their judgements") + "; call judge:collect()");
    const Json ops = journal.rows("SELECT coalesce(max(op), 0) AS op FROM operation").at(0);
    if (ops["op"].get<std::int64_t>() > last_op_)
        Progress::say(name + ": the script ended after operation " + std::to_string(last_op_) +
                      ", and the journal holds " + ops["op"].dump() +
                      ": what lies behind was done by a longer script, and reports still show it");
}

JudgeSession& Run::default_judge() const {
    for (const auto& weak : judges)
        if (const auto judge = weak.lock()) return *judge;
    throw Error(Blame::input, "run:write", "no judge yet, so nobody can say what an answer must look like",
                "make one with run:judge{...} first");
}

std::shared_ptr<Run> open_run(Session& session, const std::string& name, const std::string& folder, std::uint64_t seed,
                              std::int64_t updates, std::optional<double> budget) {
    refuse_inside(session, "hone.run");
    refuse_twice(session, folder);
    RunInfo info{name, session.script_path,        session.script_text, HONE_VERSION,
                 seed, session.settings.to_json(), describe_host()};
    bool resumed = false;
    Journal journal = open_journal(session, folder, info, resumed);
    if (resumed) Progress::say(where_it_goes_on(journal));
    if (resumed && spent_usd(journal) > 0 && was_killed(journal))
        Progress::say("the run was killed: requests that were under way may have been billed, and are not in its cost");
    if (const std::string changed = changed_settings(journal.info().settings, info.settings); !changed.empty())
        Progress::say("settings other than those that the run began with: " + changed);
    if (resumed && journal.info().script_text != info.script_text) tell_changed("the script");
    auto run = std::make_shared<Run>(session, std::move(journal), seed, updates, resumed);
    run->journal.together([&] {
        for (const auto& [file, hash] : session.modules) run->note_module(file, hash);
    });
    if (budget) run->budget.cap(*budget);
    if (budget || resumed) run->journal.put_event(0, "budget", {{"usd", budget ? Json(*budget) : Json()}});
    session.runs.push_back(run);
    if (session.begun) session.begun();
    return run;
}

}  // namespace hone
