// store/journal.hpp: a run's memory: one SQLite file (WAL, synchronous FULL) under runs/NAME/. Everything is committed
// before it is used, so a run that was killed resumes from its script's top: the journal answers what it knows. One
// writer thread. What is committed stays: a second put of an answer or a judgement throws, and of other rewards; of
// anything else it changes nothing. Columns named `wall` and the table `event` hold what depends on the wall clock;
// what of the rest is equal between an interrupted and an uninterrupted run: docs/wire.md, Records.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include "base/json.hpp"
#include "domain/candidate.hpp"
#include "domain/judgement.hpp"
#include "domain/task.hpp"

namespace hone {

struct RunInfo {
    std::string name, script_path, script_text, program_version;
    std::uint64_t seed = 0;
    Json settings;  // --set values
    Json host;      // machine, compiler, versions
};

// A member. Committed in (op, group, member) order, but the answers of a remote policy as they come.
struct Slot {
    std::int64_t op;
    int group, member;
};

// What was judged: an answer that held no program has no candidate.
struct Submission {
    std::optional<Candidate> candidate;
    std::string analysis, design;        // what the answer said beside it
    std::optional<Candidate> against{};  // the program that the ratio was taken to
};

// What a learning stage made of a member's reward. changes: [{name, value}], in order: the reward after each of them,
// without value where it left the member out.
struct Rewarded {
    std::optional<double> raw, value, advantage;  // absent: left out; advantage: the member had no part in the update
    std::string reason;
    Json changes = Json::array();
};

class Journal {
public:
    // resume false: the folder must not hold a journal yet. resume true: it must. Throws Error: exists already, absent,
    // unreadable, another process writes it, disk full; the text names the file and the cure.
    static Journal create(const std::string& folder, const RunInfo&);
    static Journal resume(const std::string& folder, const RunInfo&);
    static bool exists(const std::string& folder);
    // for reports; never writes. A name is looked for under runs/
    static Journal read(const std::string& folder_or_name);
    Journal(Journal&&) noexcept;
    ~Journal();
    RunInfo info() const;
    const std::string& folder() const;

    // Operations: the blocking calls of a script, numbered from 1 in the order they begin. On resume the recorded kind
    // and key must be the same, else Error(input): the script or its inputs changed since, at operation N. The key of
    // one that holds nothing yet, no answer and no update, may change. words: tells what differs where the key holds a
    // hash under that name ("another message 1 of prompt 2"); "": it is told by its name.
    using Words = std::function<std::string(std::int64_t op, const std::string& name)>;
    std::int64_t begin(const std::string& kind, const Json& key, const Words& words = {});
    std::optional<Json> result(std::int64_t op) const;  // of an operation that had ended
    void end(std::int64_t op, const Json& result);
    // Throws the same error: a resumed run computes another number than the recorded one. what: "objective"
    [[noreturn]] void differs(std::int64_t op, const std::string& what, std::optional<double> recorded,
                              std::optional<double> now) const;

    // One commit for all that puts writes (a commit waits for the disk); all of it or nothing is there afterwards.
    void together(const std::function<void()>& puts);
    // {task, stage, step, messages, exemplars:[hash..], seed}
    void put_prompt(std::int64_t op, int group, const Json& prompt);
    std::optional<Json> prompt(std::int64_t op, int group) const;
    // {text, ids, prompt_ids, logp, finish, version, tokens.., usd}
    void put_answer(const Slot&, const Json& answer);
    std::optional<Json> answer(const Slot&) const;
    void put_judgement(const Slot&, const Submission&, const Judgement&);
    std::optional<Judgement> judgement(const Slot&) const;
    // once; what a replay judges by (domain/task.hpp)
    void put_task(const Task&);
    std::optional<Json> task(const std::string& name, const std::string& hash) const;
    // A resumed run computes rewards anew. Where operations were committed after them, something was made of those that
    // are recorded, and others throw Error(input); else they replace those.
    void put_reward(const Slot&, double raw, const std::string& reason);  // NaN: left out
    void put_rewarded(const Slot&, const Rewarded&);  // completes the row of put_reward, or makes it
    void put_update(std::int64_t op, const std::string& policy, const Json& stats);
    void put_checkpoint(std::int64_t op, const std::string& policy, const std::string& folder);
    struct Checkpoint {
        std::int64_t op;
        std::string folder;
    };
    std::optional<Checkpoint> last_checkpoint(const std::string& policy) const;
    // A row of the stage table (run:record, schema hone.report/1): {samples, cut, note, lost, lost_reason,
    // success, typical, fallback, best_of_n, shrinkage, mean, median, max, above_1_01, baseline, unit, distinct, novel,
    // seconds}; a key that is absent is shown as "-". Ratios are plain (1.3 = 30 % faster).
    void put_stage(std::int64_t op, const std::string& stage, const Json& row);
    // A line of progress or a fact worth keeping (run:step, a resume); op 0: belongs to none. Once for each (op, kind).
    void put_event(std::int64_t op, const std::string& kind, const Json& document);
    // A file that the script took in, as an event. True: the run began with another one of that name.
    bool put_module(const std::string& file, const std::string& sha256);

    // The archive: passed candidates of this run, one row a distinct (task, program, unit of the timer), with the
    // newest judgement and how often it was judged in that unit. Speed-ups in two units have no common order: give
    // unit, or look at each row's.
    struct Query {
        std::string task, order = "-speedup.lower";  // "speedup.lower", "-speedup.estimate", "age", "-age"
        std::int64_t before_op = 0;                  // rows committed by operations that ended before it; 0: all
        int limit = 0;                               // 0: all
        // of a branch: rows of operations before this one, and of those in `own`, alone
        std::optional<std::int64_t> branched_at{};
        std::vector<std::int64_t> own{};
        std::string task_hash{};  // of the one task that is meant; empty: all of that name
        std::string unit{};       // of the timer; empty: all
    };
    std::vector<Exemplar> find(const Query&) const;
    // A text by the SHA-256 that names it in rows. Throws Error(environment) where the stored bytes do not give it: the
    // file was damaged or edited. what begins the cause: "the code of program 12ab".
    std::string text(const std::string& sha256, const std::string& what) const;
    // For reports: each row an object keyed by column name. Start at the view v_candidate (store/schema.cpp). What is
    // handed out of the table `text` is read by text(), which checks it.
    std::vector<Json> rows(const std::string& sql, const std::vector<Json>& binds = {}) const;

private:
    struct State;
    explicit Journal(std::unique_ptr<State>);
    std::unique_ptr<State> state_;
};

}  // namespace hone
