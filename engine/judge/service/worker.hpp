// judge/service/worker.hpp: supervises the benches of one device. Loads no plugin, holds no device, owns the deadlines:
// a bench that hangs or dies is replaced, and its job reported lost.
#pragma once
#include <list>
#include <string>
#include "judge/service/bench_process.hpp"
#include "judge/service/job_queue.hpp"

namespace hone {

class Worker {
public:
    Worker(int in, int out) : in_(in), out_(out) {}
    ~Worker();   // ends the benches and removes what they leave on the disk
    void run();  // until the engine closes its end

private:
    using BenchAt = std::list<BenchProcess>::iterator;
    void configure(const Json&);
    bool read_engine();
    void take(const Json& header);
    void cancel();
    void read_bench(BenchAt);
    void replace(BenchAt, const std::string& reason);
    void restart(BenchProcess&);
    void enforce_deadlines();
    void start_others(const Json& hello);
    void hand_out();
    double patience() const;  // seconds until the next deadline, or until a bench takes what it had left to others
    void poll();
    void say(const Json& header) { write_frame(out_, {header, ""}); }

    int in_, out_;
    bool ended_ = false;
    FrameReader reader_;
    Json configure_;
    std::list<BenchProcess> benches_;
    JobQueue queue_;
    int stillborn_ = 0;  // benches in a row that died before their hello
};

}  // namespace hone
