#include "judge/service/bench_process.hpp"
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>
#include "base/error.hpp"
#include "base/paths.hpp"
#include "judge/service/bench.hpp"
#include "parts/in_part.hpp"
#include "sandbox/jail.hpp"

namespace hone {
namespace {

constexpr double grace_seconds = 0.5, start_seconds = 60, never = std::numeric_limits<double>::infinity();

std::string name_of(const std::string& entry) { return entry.substr(0, entry.find('=')); }

// Of libraries, which would make the baseline slower or quicker where candidates do not see them.
bool steers_a_library(const std::string& entry) {
    static constexpr const char* marks[] = {"ATEN_", "TORCH_", "PYTORCH_", "MKL_", "ONEDNN_",
                                            "DNNL_", "OMP_",   "GOMP_",    "KMP_", "MALLOC_"};
    return std::any_of(std::begin(marks), std::end(marks), [&](const char* mark) { return entry.starts_with(mark); });
}

// This process's environment with the thread team's settings, which the reference and the candidates' jails must share.
std::vector<std::string> bench_environment(const Json& configure, int number) {
    int threads = configure.at("verifier").at("options").value("threads", 0);
    if (threads <= 0) threads = core_count();
    std::vector<std::string> entries = team_environment(threads, number);
    // a pool of input sets in small pages makes every fork slow
    entries.push_back("GLIBC_TUNABLES=glibc.malloc.hugetlb=1");
    const std::vector<std::string> team = entries;
    for (char** entry = environ; *entry; ++entry) {
        const auto same = [&](const std::string& one) { return name_of(one) == name_of(*entry); };
        if (std::none_of(team.begin(), team.end(), same) && !steers_a_library(*entry)) entries.emplace_back(*entry);
    }
    return entries;
}

// The others, as "prepare" and "probe", have limits of their own.
bool follows_deadline(const std::string& phase) { return phase == "build" || phase == "verify" || phase == "time"; }

std::string how_it_ended(int status) {
    if (WIFSIGNALED(status))
        return "the bench died of signal " + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) +
               ")";
    return "the bench ended with status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

int core_count() {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

BenchProcess::BenchProcess(const Json& configure, int number)
    : number_(number), place_(make_place()), deadline_(monotonic_seconds() + start_seconds), seconds_(start_seconds) {
    auto [in_read, in_write] = make_pipe();
    auto [out_read, out_write] = make_pipe();
    SpawnPlan plan;
    plan.argv = {program_path().string(), "bench"};
    plan.files = {{in_read.get(), STDIN_FILENO},
                  {out_write.get(), STDOUT_FILENO},
                  {STDERR_FILENO, STDERR_FILENO},
                  {place_.get(), bench_place}};
    plan.environment = bench_environment(configure, number);
    child_ = Child(plan);
    to_ = std::move(in_write);
    from_ = std::move(out_read);
    send(configure);
}

// A bench that has just died cannot take it; the end of its output says so in a moment.
void BenchProcess::send(const Json& header) {
    try {
        write_frame(to_.get(), {header, ""});
    } catch (const Error&) {
    }
}

std::string BenchProcess::overdue() const {
    char text[160];
    std::snprintf(text, sizeof text, "the bench did not end its phase \"%s\" in %g s%s", phase_.c_str(), seconds_,
                  follows_deadline(phase_) ? " (a larger judge.deadline gives it more)" : "");
    return text + place_in(place_);
}

void BenchProcess::give(const Json& job) {
    job_ = job;
    phase_ = "begin";
    seconds_ = start_seconds;
    deadline_ = monotonic_seconds() + start_seconds;
    send(job);
}

std::vector<Frame> BenchProcess::read(bool& ended) {
    char bytes[1 << 16];
    const ssize_t n = ::read(from_.get(), bytes, sizeof bytes);
    ended = n <= 0;
    std::vector<Frame> frames;
    if (ended) return frames;
    reader_.feed({bytes, static_cast<std::size_t>(n)});
    while (std::optional<Frame> frame = reader_.next()) {
        understand([&] { note(frame->header); });
        frames.push_back(std::move(*frame));
    }
    return frames;
}

void BenchProcess::note(const Json& header) {
    const std::string type = header.at("type");
    if (type == "hello") {
        said_hello_ = true;
        idle_since_ = monotonic_seconds();
        deadline_ = never;
    } else if (type == "phase") {
        phase_ = header.at("phase");
        seconds_ = header.at("seconds");
        deadline_ = seconds_ > 0 ? monotonic_seconds() + seconds_ + grace_seconds : never;
    } else if (type == "broken") {
        last_words_ = header.at("reason");
    } else if (type == "result" || type == "refused") {
        job_.reset();
        idle_since_ = monotonic_seconds();
        deadline_ = never;
    }
}

std::string BenchProcess::death() {
    int status = 0;
    if (!child_.wait(last_words_.empty() ? 1 : 0.1, &status)) {
        child_.kill();
        return last_words_.empty() ? "the bench fell silent" : last_words_;
    }
    return last_words_.empty() ? how_it_ended(status) + place_in(place_) : last_words_;
}

}  // namespace hone
