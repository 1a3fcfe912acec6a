// judge/service/job_queue.hpp: the jobs that wait in a worker, and which bench gets which. The first candidate of a
// task costs a bench the truths, the baseline's form and the noise floor, on a GPU mostly while it alone may use the
// device: a job goes to a bench that has paid for its task.
#pragma once
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include "base/json.hpp"

namespace hone {

class JobQueue {
public:
    // Times are monotonic seconds. job: header of its frame; throws what JSON throws where it is none.
    void push(const Json& job, double now);
    void clear() { waiting_.clear(), overtaken_ = 0; }
    bool empty() const { return waiting_.empty(); }
    // For an idle bench: the oldest job of a task that it knows, or that none knows, or of which enough wait to make
    // learning it worth while, or any once it has been idle beside waiting jobs for as long as learning takes. A job
    // that many have overtaken goes first. nullopt: better that it waits, since benches that know what there is
    // probably get to it sooner than it would have learnt it.
    std::optional<Json> next(int bench, double idle_since, double now);
    // when a bench that waits will take whatever there is; infinity: nothing waits
    double impatient_at(double idle_since) const;
    void forget(int bench);  // another process has its number

private:
    struct Waiting {
        std::string task;
        Json job;
    };
    bool worth_learning(const std::string& task) const;
    std::optional<Json> take(std::deque<Waiting>::iterator, int bench);
    std::deque<Waiting> waiting_;                   // oldest first
    std::map<std::string, std::set<int>> knowing_;  // by task: benches
    int overtaken_ = 0;                             // times, the oldest
    double since_ = 0;                              // something waits
};

}  // namespace hone
