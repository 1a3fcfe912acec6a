#include "judge/service/worker.hpp"
#include <poll.h>
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include "base/error.hpp"
#include "judge/call/settings.hpp"
#include "judge/service/judge.hpp"
#include "sandbox/build.hpp"
#include "sandbox/sandbox.hpp"

namespace hone {
namespace {

constexpr int most_stillborn = 3;
constexpr double goodbye_seconds = 1;

}  // namespace

// Benches without a job end by themselves: libraries in them have files of their own to remove.
Worker::~Worker() {
    std::erase_if(benches_, [](const BenchProcess& bench) { return !bench.idle(); });
    for (BenchProcess& bench : benches_) bench.dismiss();
    const double until = monotonic_seconds() + goodbye_seconds;
    for (BenchProcess& bench : benches_) bench.gone(std::max(0.0, until - monotonic_seconds()));
    benches_.clear();
    sweep_build_folders();
}

void Worker::run() {
    while (!ended_) {
        poll();
        enforce_deadlines();
        hand_out();
    }
}

void Worker::configure(const Json& header) {
    configure_ = header;
    // before the first thread or child; where it is refused, sandbox() says so
    if (Settings::from_json(header.at("options")).has("namespaces")) enter_namespaces();
    benches_.emplace_back(configure_, 0);  // the others follow when it has said what the device is
}

void Worker::poll() {
    std::vector<pollfd> waits = {{in_, POLLIN, 0}};
    std::vector<BenchAt> at;
    for (BenchAt bench = benches_.begin(); bench != benches_.end(); ++bench) {
        waits.push_back({bench->out(), POLLIN, 0});
        at.push_back(bench);
    }
    const double seconds = patience();
    const int milliseconds = std::isinf(seconds) ? -1 : static_cast<int>(std::ceil(std::max(0.0, seconds) * 1000));
    if (::poll(waits.data(), waits.size(), milliseconds) <= 0) return;
    for (std::size_t i = 0; i < at.size(); ++i)
        if (waits[i + 1].revents) read_bench(at[i]);
    if (waits[0].revents && !read_engine()) ended_ = true;
}

double Worker::patience() const {
    double first = std::numeric_limits<double>::infinity();
    for (const BenchProcess& bench : benches_) {
        first = std::min(first, bench.deadline());
        if (bench.idle()) first = std::min(first, queue_.impatient_at(bench.idle_since()));
    }
    return first - monotonic_seconds();
}

bool Worker::read_engine() {
    char bytes[1 << 16];
    const ssize_t n = read(in_, bytes, sizeof bytes);
    if (n <= 0) return false;
    reader_.feed({bytes, static_cast<std::size_t>(n)});
    while (std::optional<Frame> frame = reader_.next()) take(frame->header);
    return true;
}

void Worker::take(const Json& header) {
    understand([&] {
        const std::string type = header.at("type");
        if (type == "configure") configure(header);
        else if (type == "job") queue_.push(header, monotonic_seconds());
        else if (type == "cancel") cancel();
    });
}

void Worker::cancel() {
    queue_.clear();
    for (BenchProcess& bench : benches_)
        if (bench.job()) restart(bench);
}

void Worker::read_bench(BenchAt bench) {
    bool ended = false;
    std::vector<Frame> frames;
    try {
        frames = bench->read(ended);
    } catch (const Error& e) {  // its memory is damaged, or a part wrote into its pipe
        return replace(bench, e.what());
    }
    for (const Frame& frame : frames) {
        const std::string type = frame.header.at("type");
        if (type == "hello") start_others(frame.header);
        if (type == "hello" || type == "phase" || type == "result" || type == "refused") say(frame.header);
    }
    if (ended) replace(bench, bench->death());
}

void Worker::start_others(const Json& hello) {
    stillborn_ = 0;
    int wanted = configure_.at("options").at("benches");
    if (wanted == 0) wanted = hello.at("device") == "cpu" ? core_count() : 1;
    while (static_cast<int>(benches_.size()) < wanted)
        benches_.emplace_back(configure_, static_cast<int>(benches_.size()));
}

void Worker::replace(BenchAt bench, const std::string& reason) {
    if (bench->job())
        say({{"type", "lost"},
             {"id", bench->job()->at("id")},
             {"attempt", bench->job()->at("attempt")},
             {"reason", reason}});
    stillborn_ = bench->said_hello() ? 0 : stillborn_ + 1;
    if (stillborn_ >= most_stillborn) {
        const Error error(Blame::environment, "bench", "cannot be started: " + reason, "`hone doctor` may know why");
        say({{"type", "refused"},
             {"id", nullptr},
             {"blame", error.exit_code()},
             {"place", error.place()},
             {"cause", error.cause()},
             {"cure", error.cure()}});
        ended_ = true;
        return;
    }
    restart(*bench);
}

void Worker::restart(BenchProcess& bench) {
    queue_.forget(bench.number());
    bench = BenchProcess(configure_, bench.number());
}

void Worker::enforce_deadlines() {
    for (BenchAt bench = benches_.begin(); bench != benches_.end(); ++bench)
        if (bench->deadline() <= monotonic_seconds()) replace(bench, bench->overdue());
}

void Worker::hand_out() {
    for (BenchProcess& bench : benches_) {
        if (queue_.empty()) return;
        if (!bench.idle()) continue;
        if (const std::optional<Json> job = queue_.next(bench.number(), bench.idle_since(), monotonic_seconds()))
            bench.give(*job);
    }
}

int worker_main() {
    try {
        Worker(STDIN_FILENO, STDOUT_FILENO).run();
    } catch (const Error& e) {  // most often the engine is gone; the benches go with this process
        std::fprintf(stderr, "hone: worker: %s\n", e.what());
        return e.exit_code();
    }
    return 0;
}

}  // namespace hone
