#include "judge/service/judge.hpp"
#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <deque>
#include <map>
#include "base/frames.hpp"
#include "base/hash.hpp"
#include "base/paths.hpp"
#include "base/process.hpp"
#include "base/secrets.hpp"
#include "judge/call/bench_parts.hpp"
#include "judge/call/settings.hpp"
#include "judge/service/job.hpp"
#include "judge/service/largest_tensor.hpp"
#include "parts/checked.hpp"

namespace hone {
namespace {

constexpr int most_attempts = 3;
constexpr double a_hand_over = 1;  // seconds: benches of one program wait for each other less long
constexpr double goodbye_seconds = 3;
// Not more jobs are out than their results fit into the pipe: the worker then never waits for this process, which may
// be writing to it.
constexpr int pipe_bytes = 1 << 20;
constexpr std::size_t jobs_out = 8, jobs_out_a_bench = 2;

struct Entry {  // everything known of one (task, candidate, against)
    std::string key;
    std::optional<Judgement> judgement;  // the newest
    int uses = 0;                        // of that judgement
    int judged = 0;                      // times
    std::optional<Job> job;              // while it is being judged
    bool again = false;                  // that is the second try: the machine was too busy at the first
    std::vector<std::uint64_t> tickets;  // that wait for it
};

// Of this process's environment what a worker and its benches may see.
std::vector<std::string> worker_environment() {
    std::vector<std::string> entries;
    for (char** entry = environ; *entry; ++entry) entries.emplace_back(*entry);
    return without_secrets(entries, named_secrets());
}

}  // namespace

struct Judge::State {
    JudgePlan plan;
    Settings settings;
    std::unique_ptr<Verifier> verifier;  // of this process, for briefs
    Child worker;
    Fd to, from;
    Json hello;
    bool greeted = false;                        // by the present worker
    std::string phase;                           // that a bench told last
    std::map<std::string, std::string> phases;   // job id ("": a bench that begins) -> phase that its bench told last
    double heard = 0;                            // when a bench told a phase, on the monotonic clock
    std::map<std::string, Entry> entries;        // by content
    std::map<std::string, std::string> running;  // job id -> key of its entry
    std::deque<std::string> unsent;              // keys of entries whose job has to wait
    std::deque<std::pair<std::uint64_t, Judgement>> ready;
    std::size_t waiting = 0;  // tickets

    explicit State(JudgePlan p)
        : plan(std::move(p)), settings(Settings::from_json(check_options(judge_options(), plan.options, "judge"))) {}

    Json configuration() const {
        return {{"type", "configure"},
                {"protocol", 1},
                {"verifier", plan.verifier.to_json()},
                {"timer", plan.timer.to_json()},
                {"reference", plan.reference.to_json()},
                {"options", plan.options}};
    }

    void start_worker() {
        if (worker.running()) return;
        greeted = false;
        auto [in_read, in_write] = make_pipe();
        auto [out_read, out_write] = make_pipe();
        SpawnPlan spawn;
        spawn.argv = {(program_path().parent_path() / "hone").string(), "worker"};
        spawn.files = {{in_read.get(), STDIN_FILENO}, {out_write.get(), STDOUT_FILENO}, {STDERR_FILENO, STDERR_FILENO}};
        spawn.environment = worker_environment();
        worker = Child(spawn);
        to = std::move(in_write);
        from = std::move(out_read);
        // refused where the user has too many: then there is less room to spare
        fcntl(from.get(), F_SETPIPE_SZ, pipe_bytes);
        write_frame(to.get(), {configuration(), ""});
    }

    // What decides a verdict: two equal keys may share one.
    std::string key(const Task& task, const Candidate& candidate, const Candidate* against) const {
        return sha256(task.hash() + task.name() + candidate.hash + (against ? against->hash : "") +
                      configuration().dump());
    }

    void send() {
        const std::size_t window = std::max(jobs_out, jobs_out_a_bench * static_cast<std::size_t>(settings.benches));
        while (!unsent.empty() && running.size() < window) {
            const Job& job = *entries.at(unsent.front()).job;
            running[job.id] = unsent.front();
            unsent.pop_front();
            try {
                write_frame(to.get(), {job.to_json(), ""});
            } catch (const Error&) {  // the worker has ended: this job is lost with it, as reading will find
                return;
            }
        }
    }

    void give(std::uint64_t ticket, const Judgement& judgement) { ready.emplace_back(ticket, judgement); }

    void settle(Entry& entry, Judgement judgement) {
        judgement.id = entry.job->id;
        add_evidence(judgement);
        for (const std::uint64_t ticket : entry.tickets) give(ticket, judgement);
        entry.uses = static_cast<int>(entry.tickets.size());
        waiting -= entry.tickets.size();
        entry.tickets.clear();
        entry.job.reset();
        // a lost bench says nothing about the candidate: the next submission tries again
        if (judgement.scorable()) entry.judgement = std::move(judgement);
    }

    void add_evidence(Judgement& judgement) const {
        judgement.device = hello.value("device", "");
        // of the machine; a bench whose verifier did without has said so. What was not judged ran nowhere for certain.
        if (judgement.sandbox.empty() && judgement.scorable()) judgement.sandbox = hello.value("sandbox", "");
        const auto add = [](std::optional<judged::Part>& part, const Recipe& recipe) {
            part = {recipe.id, recipe.options, recipe.file_hash, part ? std::move(part->facts) : std::nullopt};
        };
        add(judgement.verifier, plan.verifier);
        add(judgement.timer, plan.timer);
        add(judgement.reference, plan.reference);
    }

    // The entry of a job that is no longer running; null if it was cancelled.
    Entry* end_run(const std::string& id) {
        phases.erase(id);
        const auto found = running.find(id);
        if (found == running.end()) return nullptr;
        Entry& entry = entries.at(found->second);
        running.erase(found);
        return &entry;
    }

    void on_lost(const Json& header) {
        Entry* found = end_run(header.at("id"));
        if (!found) return;
        Entry& entry = *found;
        if (++entry.job->attempt <= most_attempts) return unsent.push_front(entry.key);
        settle(entry, rejected(entry.job->task.name(), entry.job->candidate.hash, Verdict::INFRASTRUCTURE,
                               "lost " + std::to_string(most_attempts) + " times: " +
                                   header.at("reason").get<std::string>() + largest_tensor_text(entry.job->task)));
    }

    // A busy moment says nothing about the program, and would be handed to every ticket: after all others it is judged
    // once more.
    void on_result(const Json& header) {
        Entry* const entry = end_run(header.at("id"));
        if (!entry) return;
        Judgement judgement = judgement_from_json(header.at("judgement"));
        if (judgement.kind == "busy" && !std::exchange(entry->again, true)) return unsent.push_back(entry->key);
        settle(*entry, std::move(judgement));
    }

    void forget(Entry& entry) {
        waiting -= entry.tickets.size();
        entry.tickets.clear();
        entry.job.reset();
    }

    void forget_all() {
        running.clear();
        phases.clear();
        unsent.clear();
        for (auto& [key, entry] : entries) forget(entry);
    }

    // A worker that ended says nothing about the candidates that it had; one that never said hello would not be the
    // last.
    void replace_worker() {
        worker.kill();
        if (!greeted) {
            forget_all();
            throw Error(Blame::environment, "judge", "its worker has ended",
                        "start again; `hone doctor` looks for what is missing");
        }
        const std::map<std::string, std::string> lost = running;
        for (const auto& [id, key] : lost) on_lost({{"id", id}, {"reason", "the worker has ended"}});
        start_worker();
        send();
    }

    // What was refused is no longer being judged: who submits it again is told again.
    void on_refused(const Json& header) {
        if (header.at("id").is_null()) {
            forget_all();
            worker.kill();  // its benches cannot start; the next submission tries with a new one
        } else {
            Entry* const refused = end_run(header.at("id"));
            if (!refused) return;
            forget(*refused);
            send();
        }
        throw Error(static_cast<Blame>(header.at("blame").get<int>()), header.at("place"), header.at("cause"),
                    header.at("cure"));
    }

    void on_phase(const Json& header) {
        phase = header.at("phase");
        phases[header.at("id").is_null() ? "" : header.at("id").get<std::string>()] = phase;
        heard = monotonic_seconds();
    }

    // false: the worker has ended
    bool take_frame(double seconds) {
        if (!readable(from.get(), seconds))
            return true;  // asked before reading: a frame that arrives just after the time is no end of file
        const std::optional<Frame> frame = read_frame(from.get(), seconds);
        if (!frame) return false;
        understand([&] {
            const std::string type = frame->header.at("type");
            if (type == "hello") greeted = true, hello = frame->header, phases.erase("");
            else if (type == "phase") on_phase(frame->header);
            else if (type == "result") on_result(frame->header);
            else if (type == "lost") on_lost(frame->header);
            else if (type == "refused") on_refused(frame->header);
        });
        send();
        return true;
    }
};

Judge::Judge(JudgePlan plan) : state_(std::make_unique<State>(std::move(plan))) { tell_unchecked(state_->plan.timer); }

// The worker sees the end of its input and cleans up after its benches, which a kill would keep it from.
Judge::~Judge() {
    state_->to.close();
    if (state_->worker.running()) state_->worker.wait(goodbye_seconds, nullptr);
}

Json Judge::brief(const Task& task) {
    if (!state_->verifier) state_->verifier = std::make_unique<Verifier>(state_->plan.verifier);
    return state_->verifier->brief(task);
}

void Judge::submit(std::uint64_t ticket, const Task& task, const Candidate& candidate, const Candidate* against) {
    State& s = *state_;
    const std::string key = s.key(task, candidate, against);
    Entry& entry = s.entries[key];
    entry.key = key;
    const bool fresh = entry.judgement && (!entry.judgement->passed() || entry.uses < s.settings.refresh);
    if (fresh) {
        ++entry.uses;
        return s.give(ticket, *entry.judgement);
    }
    entry.tickets.push_back(ticket);
    ++s.waiting;
    if (entry.job) return;
    s.start_worker();
    entry.again = false;
    entry.job = Job{key.substr(0, 12) + "-" + std::to_string(++entry.judged), 1, task, candidate, {}};
    if (against) entry.job->against = *against;
    s.unsent.push_back(key);
    s.send();
}

std::optional<std::pair<std::uint64_t, Judgement>> Judge::collect(double seconds) {
    State& s = *state_;
    const double until = monotonic_seconds() + seconds;
    while (s.ready.empty() && s.waiting) {
        const double left = until - monotonic_seconds();
        if (left < 0) return std::nullopt;
        if (s.take_frame(left)) continue;
        s.replace_worker();
    }
    if (s.ready.empty()) return std::nullopt;
    auto first = std::move(s.ready.front());
    s.ready.pop_front();
    return first;
}

const std::string& Judge::phase() const { return state_->phase; }

bool Judge::waits() const {
    const auto waiting = [](const auto& one) { return one.second == "wait"; };
    return !state_->phases.empty() && std::all_of(state_->phases.begin(), state_->phases.end(), waiting) &&
           monotonic_seconds() - state_->heard > a_hand_over;
}

std::size_t Judge::pending() const { return state_->ready.size() + state_->waiting; }

void Judge::cancel() {
    State& s = *state_;
    s.ready.clear();
    s.forget_all();
    if (s.worker.running()) write_frame(s.to.get(), {{{"type", "cancel"}}, ""});
}

Json Judge::facts() const {
    Json facts = state_->hello;
    if (facts.is_object()) facts.erase("type");
    return facts;
}

const JudgePlan& Judge::plan() const { return state_->plan; }

}  // namespace hone
