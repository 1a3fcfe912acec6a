// lua/judge.hpp: the judge as scripts see it. Judgements reach Lua with natural logarithms: judgement.speedup.lower > 0 is "surely faster".
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include "judge/judge.hpp"
#include "lua/run.hpp"

namespace hone::lua {

class JudgePart {
public:
    static constexpr const char* lua_name = "hone.Judge";
    JudgePart(std::shared_ptr<Run>, JudgePlan);
    Run& run() const { return *run_; }
    std::uint64_t submit(const Task&, const Candidate&, const Candidate* against = nullptr);
    void poll(double seconds);          // receives what comes within so many seconds; kept until taken
    std::optional<Judgement> take(std::uint64_t ticket);
    bool works() const { return judge_.pending() > 0; }
    std::vector<std::string> fences(const Task&);
    Json brief(const Task&);
    Json description() const;           // recipes and options, for the journal's keys
    void cancel() { judge_.cancel(); }

    struct Submitted {                  // by judge:submit, not collected yet
        std::uint64_t number;           // what the script knows it by
        Task task;
        Candidate candidate;
        std::optional<Candidate> against;
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

Json candidate_json(const Candidate&);
void push_judgement(lua_State*, const Json& doc);
void push_exemplar(lua_State*, Json row);            // of the archive
Bindings judge_bindings();

}  // namespace hone::lua
