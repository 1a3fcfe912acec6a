// run/judge_session.hpp: a judge of a run: what was submitted, and the judgements that came back and nobody took yet.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include "judge/service/judge.hpp"
#include "run/run.hpp"

namespace hone {

class JudgeSession {
public:
    JudgeSession(std::shared_ptr<Run>, JudgePlan);
    ~JudgeSession() { run_->uncollected += submitted.size(); }
    JudgeSession(const JudgeSession&) = delete;
    Run& run() const { return *run_; }
    std::shared_ptr<Run> shared_run() const { return run_; }
    std::uint64_t submit(const Task&, const Candidate&, const Candidate* against = nullptr);
    void poll(double seconds);  // receives what comes within so many seconds; kept until taken
    std::optional<Judgement> take(std::uint64_t ticket);
    bool works() const { return judge_.pending() > 0; }
    bool waits() const { return judge_.waits(); }  // for the machine
    std::vector<std::string> fences(const Task&);
    Json brief(const Task&);
    Json description() const;  // recipes and options, for the journal's keys
    void cancel() { judge_.cancel(); }

    struct Submitted {         // by judge:submit, not collected yet
        std::uint64_t number;  // what the script knows it by
        Task task;
        Candidate candidate;
        std::optional<Candidate> against;
        std::int64_t after;                   // the last operation before it was submitted
        std::optional<Judgement> verdict;     // an answer that could not be parsed
        std::optional<std::uint64_t> ticket;  // once the judge works on it
    };
    std::deque<Submitted> submitted;
    std::uint64_t next_number = 1;

private:
    std::shared_ptr<Run> run_;
    Judge judge_;
    std::map<std::string, Json> briefs_;
    std::map<std::uint64_t, Judgement> ready_;
    std::uint64_t next_ticket_ = 1;
};

}  // namespace hone
