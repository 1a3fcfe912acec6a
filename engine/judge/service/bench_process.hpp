// judge/service/bench_process.hpp: one bench as its worker sees it: a child, two pipes, a job and a deadline.
#pragma once
#include <optional>
#include <string>
#include <vector>
#include "base/frames.hpp"
#include "base/process.hpp"

namespace hone {

int core_count();  // that this process may use

class BenchProcess {
public:
    BenchProcess(const Json& configure, int number);
    int out() const { return from_.get(); }  // to be polled
    int number() const { return number_; }   // chooses its first core
    bool idle() const { return said_hello_ && !job_; }
    double idle_since() const { return idle_since_; }  // monotonic seconds
    bool said_hello() const { return said_hello_; }
    const std::optional<Json>& job() const { return job_; }
    double deadline() const { return deadline_; }  // monotonic seconds; infinity: none
    std::string overdue() const;                   // the words for it

    void give(const Json& job);
    // The frames that have come. ended: the bench has closed its end.
    std::vector<Frame> read(bool& ended);
    void dismiss() { to_.close(); }  // it ends when it has done what it was given
    bool gone(double seconds) { return child_.wait(seconds, nullptr); }
    std::string death();  // reaps it; says how it died, or its own last words

private:
    void note(const Json& header);
    void send(const Json& header);
    int number_;
    Child child_;
    Fd to_, from_;
    Fd place_;  // in which part the bench is (parts/in_part.hpp)
    FrameReader reader_;
    std::optional<Json> job_;  // header of its frame
    std::string phase_ = "start", last_words_;
    double deadline_, seconds_, idle_since_ = 0;
    bool said_hello_ = false;
};

}  // namespace hone
