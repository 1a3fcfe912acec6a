// verifier.cpp: candidates in C++ for the machine's own cores. Compiled by g++ or clang++ in the bench's build sandbox,
// run in a jail.
#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include "compiler.hpp"
#include "cpp/flags.hpp"
#include "hone/arguments.hpp"
#include "hone/plugin.hpp"
#include "hone/record.hpp"
#include "hone/shared_memory.hpp"
#include "peaks.hpp"
#include "unit.hpp"

namespace hone::cpp {
namespace {

void tell_end(Record& from, Out to) {
    for (const char* key : {"verdict", "kind", "reason"})
        if (!from.text(key).empty()) to.text(key, from.text(key));
}

class Subject : public LoadedCandidate {
public:
    Subject(Host host, hone_jail jail) : host_(host), jail_(jail) {}
    ~Subject() { jail_.end(jail_.ctx); }
    Subject(const Subject&) = delete;

    void launch(const hone_call& call) override {
        host_.check(jail_.call(jail_.ctx, &call), "the call could not be made");
    }
    bool wait(double seconds, double& inside, Out end) override {
        Record record;
        const hone_rc rc = jail_.wait(jail_.ctx, seconds, record.out());
        if (rc == HONE_FAILED) return tell_end(record, end), false;
        host_.check(rc, "the jail could not be waited for");
        inside = record.num("inside");
        return true;
    }
    void suspend(bool suspended) override {
        host_.check(jail_.suspend(jail_.ctx, suspended), "the jail could not be stopped");
    }
    int32_t process() override { return jail_.pid; }

private:
    Host host_;
    hone_jail jail_;
};

struct Verifier : OnSharedHost<HostVerifierPart> {
    using Subject = cpp::Subject;

    Verifier(Host host, Doc given)
        : OnSharedHost(host),
          further_(given.text("flags")),
          compiler_(host, given.text("compiler"), allowed_flags(further_), given.flag("listed")),
          threads_(static_cast<int>(given.integer("threads"))) {
        const char* team = std::getenv("OMP_NUM_THREADS");  // as many as the bench gives to the reference
        if (threads_ == 0) threads_ = team ? std::atoi(team) : static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
        threads_ = std::max(threads_, 1);
    }

    void brief(Doc task, Out out) override {
        const std::string head = prototype(task);
        out.text("prototype", head);
        out.text("fences", "cpp");
        out.text("tier", further_.empty() ? "host" : "host, compiled with " + further_);
        out.text("empty", head + " {}");
        out.text("text",
                 "Write C++20 with this exported function:\n\n    " + head + "\n\n" + in_place_text(task) +
                     "Tensors are dense and row-major, do not overlap and begin at multiples of 64 bytes. Every call "
                     "gets other values; the function "
                     "must write every element of its outputs from this call's inputs. schedule(dynamic) and "
                     "reduction(+) of floats add in an order that depends on "
                     "which thread comes first: let each thread keep its own sum of a fixed part, and add those in "
                     "their order.\n"
                     "Without any #include there are V, a vector of 16 floats that may be loaded from any float "
                     "address (V x = *(const V*)p;), "
                     "expf_fast(float), an exp that the compiler vectorises, and the compiler's builtins such as "
                     "__builtin_sqrtf. "
                     "<immintrin.h>, <cmath>, <algorithm>, <cstring>, <vector> and <omp.h> may be included.\n"
                     "It is compiled with " +
                     compiler_.command() + "; \"#pragma omp parallel\", outside of any other, runs on " +
                     std::to_string(threads_) + (threads_ == 1 ? " thread" : " threads") +
                     ". Files, processes, threads of its own and other system calls are refused; threads stay on "
                     "the cores where the judge has put them. A call may take 50 times as long as the reference's, at "
                     "least a quarter of a second and at most a quarter of the judge's deadline, loading the program a "
                     "quarter of a second, a thread "
                     "8 MiB of stack.");
    }

    hone_device device() override { return {sizeof(hone_device), "cpu", 0, nullptr, nullptr}; }

    std::unique_ptr<Subject> open(Doc task, Doc candidate, Out facts) {
        if (!further_.empty()) facts.text("no_score", "it was compiled with " + further_);
        const std::string library = compiler_.build(task, candidate.text("code"), facts);
        if (library.empty()) return nullptr;
        hone_jail_plan plan{};
        plan.size = sizeof plan;
        plan.library = borrow(library);
        plan.symbol = "hone_thunk";
        const std::vector<hone_region> regions = shared();
        plan.regions = regions.data();
        plan.n_regions = static_cast<uint32_t>(regions.size());
        plan.threads = threads_;
        hone_jail jail{};
        Record end;
        const hone_rc rc = host().raw()->jail(host().raw()->ctx, &plan, &jail, end.out());
        if (rc == HONE_FAILED) return tell_end(end, facts), nullptr;
        host().check(rc, "no jail could be started");
        return std::make_unique<Subject>(host(), jail);
    }

    // Here, since a bench has the machine to itself now: no time is taken before, and none is disturbed. In facts() it
    // would be measured by whoever only asks.
    void probe(const std::function<void()>&, Out out) override {
        peaks_ = measured_peaks();
        out.num("measurings", peaks_->measurings);
    }

    void facts(Out out) override {
        if (!peaks_) peaks_ = known_peaks();
        if (peaks_) peaks_->tell(out);
        out.text("compiler", compiler_.version());
        out.text("flags", compiler_.command());
        out.num("threads", threads_);
        const std::string found = compiler_.path();
        out.text("ready", found.empty() ? "no compiler" : found);
        if (found.empty()) out.text("cure", "install g++ or clang++ (Debian: apt install g++)");
    }

    static constexpr const char* takes = R"({"fence": "cpp", "also": ["c++", "cxx", "cc", "c"], "otherwise": true,
        "files": [".cpp", ".cc", ".cxx", ".c"], "headers": [".h", ".hpp"], "comment": "// ",
        "suite": "cpu-basics", "timer": "wall", "closely": {"listed": true}})";
    static constexpr hone_option options[] = {
        {"compiler", "text", "g++", nullptr, "program that compiles: g++ or clang++ (without OpenMP threads)"},
        {"threads", "int", "0", "0..1024", "team of a candidate; 0: as many as the bench gives to the reference"},
        {"flags", "text", "", nullptr,
         "further flags for a program of your own, with blanks between: -O, -std, -m, some of -f (no score then)"},
        {"listed", "bool", "false", nullptr,
         "tell the widest vectors that a program works with, by another run of the compiler"},
        {}};

private:
    std::string further_;  // flags
    Compiler compiler_;
    int threads_;
    std::optional<Peaks> peaks_;  // nullopt: not measured since this machine booted
};

}  // namespace
}  // namespace hone::cpp

using Cpp = hone::cpp::Verifier;
HONE_VERIFIER(Cpp, "cpp", "0.1", "C++ for the machine's own cores, compiled and run in a sandbox")
