// judge/job_queue.hpp: the jobs that wait in a worker, and which bench gets which. The first candidate of a task costs a bench the truths, the
// baseline's form and the noise floor, on a GPU mostly while it alone may use the device: a job goes to a bench that has paid for its task.
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
    void push(const Json& job);  // header of its frame; throws what JSON throws where it is none
    void clear() { waiting_.clear(); }
    bool empty() const { return waiting_.empty(); }
    // For an idle bench: the oldest job of a task that it knows, or that none knows, or of which enough wait to make learning it worth while.
    // nullopt: better that it waits, since the benches that know what there is get to it sooner than it would have learnt it.
    std::optional<Json> next(int bench);
    void forget(int bench);      // another process has its number

private:
    struct Waiting {
        std::string task;
        Json job;
    };
    bool worth_learning(const std::string& task) const;
    std::optional<Json> take(std::deque<Waiting>::iterator, int bench);
    std::deque<Waiting> waiting_;                   // oldest first
    std::map<std::string, std::set<int>> knowing_;  // by task: benches
};

}  // namespace hone
