#include "run/run.hpp"
#include <algorithm>
#include "base/error.hpp"
#include "base/host.hpp"
#include "base/progress.hpp"
#include "base/random.hpp"
#include "run/interrupt.hpp"
#include "run/judge_session.hpp"
#include "run/losses.hpp"
#include "run/policy_session.hpp"

namespace hone {
namespace {

// "resuming runs/x after operation 123 (contrastive-rl step 7)"
std::string where_it_goes_on(const Journal& journal) {
    const Json ops = journal.rows("SELECT coalesce(max(op), 0) AS op FROM operation WHERE result IS NOT NULL").at(0);
    std::string text = "resuming " + journal.folder() + " after operation " + ops["op"].dump();
    for (const Json& row : journal.rows("SELECT doc FROM event WHERE kind = 'step' ORDER BY op DESC LIMIT 1")) {
        const Json step = Json::parse(row["doc"].get_ref<const std::string&>());
        text += " (" + step.value("stage", std::string());
        for (const char* count : {"round", "step", "epoch", "update"})
            if (step.contains(count)) text += std::string(" ") + count + " " + step[count].dump();
        text += ")";
    }
    return text;
}

}  // namespace

Run::Run(Session& s, Journal j, std::uint64_t seed_, std::int64_t updates)
    : session(s), journal(std::move(j)), name(journal.info().name), seed(seed_), updates_a_checkpoint(updates) {}

void Run::judged(const Judgement& judgement) {
    if (!judgement.wall) return;
    spent.verifying += judgement.wall->verify;
    spent.timing += judgement.wall->time;
}

void Run::tell_loss(const std::string& title, const std::string& reason) {
    if (told_losses_.insert(kind_of_loss(reason)).second) Progress::say(title + ": an answer is lost: " + reason);
}

std::int64_t Run::begin(const std::string& kind, const Json& key) {
    check_interrupt();
    session.settings.check_all_read();
    last_op_ = journal.begin(kind, key);
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

JudgeSession& Run::default_judge() const {
    for (const auto& weak : judges)
        if (const auto judge = weak.lock()) return *judge;
    throw Error(Blame::input, "run:write", "no judge yet, so nobody can say what an answer must look like",
                "make one with run:judge{...} first");
}

std::shared_ptr<Run> open_run(Session& session, const std::string& name, const std::string& folder, std::uint64_t seed,
                              std::int64_t updates) {
    RunInfo info{name, session.script_path,        session.script_text, HONE_VERSION,
                 seed, session.settings.to_json(), describe_host()};
    Journal journal = session.resume ? Journal::resume(folder, info) : Journal::create(folder, info);
    const Json recorded = journal.info().settings;
    if (recorded != info.settings)
        throw Error(Blame::usage, folder,
                    "was begun with the settings " + recorded.dump() + ", not " + info.settings.dump(),
                    "resume with the same --set values");
    if (session.resume) Progress::say(where_it_goes_on(journal));
    auto run = std::make_shared<Run>(session, std::move(journal), seed, updates);
    session.runs.push_back(run);
    return run;
}

}  // namespace hone
