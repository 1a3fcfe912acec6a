#include "judge/service/bench.hpp"
#include <malloc.h>
#include <unistd.h>
#include <algorithm>
#include "base/frames.hpp"
#include "base/load.hpp"
#include "base/printable.hpp"
#include "judge/service/health.hpp"
#include "judge/service/judge.hpp"
#include "judge/timing/window.hpp"
#include "parts/in_part.hpp"
#include "sandbox/jail.hpp"
#include "sandbox/sandbox.hpp"
#include "sandbox/services.hpp"

namespace hone {
namespace {

constexpr double probe_seconds = 60;
constexpr double prepare_seconds = 300;  // opening a reference and making its first truths

// By what a baseline runs. Its other facts are counts of this bench.
Json steady(const Json& facts) {
    Json kept = Json::object();
    for (const char* name : {"library", "version", "threads", "instructions"})
        if (facts.contains(name)) kept[name] = facts[name];
    return kept;
}

Recipe recipe_of(const Json& configure, const char* part) { return Recipe::from_json(configure.at(part)); }

}  // namespace

Bench::Bench(const Json& configure, const OnPhase& on_phase)
    : verifier_(recipe_of(configure, "verifier")),
      reference_(recipe_of(configure, "reference")),
      timer_(recipe_of(configure, "timer")),
      device_(find_device()),
      context_(verifier_, timer_, Settings::from_json(configure.at("options"))) {
    if (!absent_.empty()) return;
    if (std::string(device_.kind) == "cpu") require_confinement(context_.settings.without);
    try_memory();
    timer_.attach(device_);
    if (verifier_.offers_probe()) probe(on_phase);
    const Json clock = timer_.facts();
    context_.process_spread = clock.value("process_spread", 0.0);
    const double of_verifier = timer_.unit() == "s" ? verifier_.facts().value("process_spread", 0.0) : 0;
    context_.candidate_spread = std::max(context_.process_spread, of_verifier);
    context_.independent_spread = clock.value("independent_spread", context_.process_spread);
    context_.device_kind = device_.kind;
    context_.code_on_host = std::string(device_.kind) == "cpu";
    context_.host_code = verifier_.host_code();
    context_.leaves_traces = verifier_.leaves_traces();
    context_.real_clock = clock.value("virtual", 0.0) == 0;
    context_.cores = usable_cores();
    keep_to_first_place();
}

hone_device Bench::find_device() {
    try {
        return verifier_.device();
    } catch (const PartFailed& e) {
        absent_ = e.what();
        return {sizeof(hone_device), "none", 0, nullptr, nullptr};
    }
}

// A verifier that fails here fails the first candidate's call, too, and is told by that.
void Bench::try_memory() {
    try {
        probe_memory(verifier_);
    } catch (const PartFailed&) {
    }
}

// What is only for the record must not keep a bench from judging.
void Bench::probe(const OnPhase& on_phase) {
    on_phase("wait", 0);
    lease_.take();
    on_phase("probe", probe_seconds);
    try {
        const Json found =
            verifier_.probe(timer_.offers_flush() ? [this] { timer_.flush({}); } : std::function<void()>());
        const auto weak = found.find("weak");
        if (weak != found.end() && weak->is_string()) weak_ = *weak;
    } catch (const PartFailed& e) {
        weak_ = std::string("its walls could not be tried out: ") + e.what();
    } catch (const PartBroken& e) {
        weak_ = std::string("its walls could not be tried out: ") + e.what();
    }
    lease_.release();
}

// A candidate that does not compile is judged as well here as anywhere.
Judgement Bench::build_only(const Job& job) {
    Json facts;
    std::optional<CandidateFailure> failure;
    try {
        verifier_.open(job.task, job.candidate, facts, failure);
    } catch (const PartFailed& e) {
        if (!facts.contains("build_seconds"))
            throw Error(Blame::environment, "task \"" + job.task.name() + "\"", e.what());
        const std::string resources = facts.value("resources", ""),
                          built = resources.empty() ? "" : " (" + resources + ")";
        throw Error(Blame::environment, "task \"" + job.task.name() + "\"",
                    "the candidate was built" + built + " and not run: " + absent_);
    }
    if (!failure) throw PartBroken("the verifier opened a candidate without a device");
    Judgement judgement = rejected(job.task.name(), job.candidate.hash, failure->verdict, failure->reason);
    judgement.log = facts.value("log", "");
    facts.erase("log");
    judgement.facts = std::move(facts);
    return judgement;
}

Json Bench::hello() const {
    return {{"type", "hello"},
            {"protocol", 1},
            {"device", device_.kind},
            {"sandbox", sandbox().text()},
            {"facts",
             {{"verifier", verifier_.facts()},
              {"reference", reference_.facts()},
              {"timer", timer_.facts()},
              {"unit", timer_.unit()}}}};
}

PreparedTask& Bench::prepared(const Task& task, const OnPhase& on_phase) {
    const auto found = std::find_if(prepared_tasks_.begin(), prepared_tasks_.end(), [&](const auto& p) {
        return p->task().hash() == task.hash() && p->task().name() == task.name();
    });
    if (found != prepared_tasks_.end()) {
        prepared_tasks_.splice(prepared_tasks_.begin(), prepared_tasks_, found);
    } else {
        on_phase("prepare", prepare_seconds);
        prepared_tasks_.push_front(
            std::make_unique<PreparedTask>(task, context_.arena, reference_, device_, context_.settings,
                                           verifier_.facts().value("scratch_bytes", std::size_t{0})));
    }
    PreparedTask& chosen = *prepared_tasks_.front();
    context_.make_room(chosen);
    context_.open_empty(task);
    bound_pool(chosen);
    return chosen;
}

void Bench::bound_pool(const PreparedTask& in_use) {
    std::size_t bytes = 0;
    for (const auto& prepared : prepared_tasks_) {
        if (bytes + prepared->bytes() > context_.settings.pool_bytes && prepared.get() != &in_use) prepared->forget();
        bytes += prepared->bytes();
    }
}

Judgement Bench::run(const Job& job, const OnPhase& on_phase) {
    if (!absent_.empty()) return build_only(job);
    if (context_.code_on_host) {
        on_phase("wait", 0);
        lease_.share();
    }
    struct Release {
        Lease& lease;
        ~Release() { lease.release(); }
    } release{lease_};
    try {
        PreparedTask& task = prepared(job.task, on_phase);
        task.begin_judging(job.candidate.hash, context_.leaves_traces);
        if (shaken_) {
            on_phase("prepare", prepare_seconds);
            probe_health(context_, task);
        }
        shaken_ = true;  // unless what follows ends well
        Judgement judgement = with_room(task, job, on_phase);
        shaken_ = needs_health_check(judgement.verdict);
        judgement.verifier.emplace().facts = verifier_.facts();  // product, driver, compiler
        judgement.reference.emplace().facts = steady(reference_.facts());
        judgement.trust = verifier_.brief(job.task).value("tier", "") + (weak_.empty() ? "" : ", but " + weak_);
        return judgement;
    } catch (const ItemFailed& e) {
        return rejected(job.task.name(), job.candidate.hash, Verdict::INFRASTRUCTURE, e.what());
    } catch (const PartFailed& e) {  // a candidate's failures are endings; what is left is the task's or a part's
        throw Error(Blame::input, "task \"" + job.task.name() + "\"", e.what());
    }
}

Judgement Bench::with_room(PreparedTask& task, const Job& job, const OnPhase& on_phase) {
    while (true) try {
            return examine(context_, task, job, lease_, on_phase);
        } catch (const MoreCalls& wanted) {
            lease_.release();
            if (context_.code_on_host) lease_.share();
            task.set_calls(wanted.calls);
            context_.make_room(task);
            context_.open_empty(job.task);
        }
}

namespace {

Json refusal(const Json& id, const Error& e) {
    return {{"type", "refused"},  {"id", id},           {"blame", e.exit_code()},
            {"place", e.place()}, {"cause", e.cause()}, {"cure", e.cure()}};
}

// Judges until the other end closes. false: the bench is of no further use.
bool serve(Bench& bench, int in, int out) {
    while (std::optional<Frame> frame = read_frame(in, -1)) {
        if (understand([&] { return frame->header.at("type") != "job"; })) continue;
        const Job job = Job::from_json(frame->header);
        try {
            const Judgement judgement = bench.run(job, [&](const char* phase, double seconds) {
                write_frame(out, {{{"type", "phase"}, {"id", job.id}, {"phase", phase}, {"seconds", seconds}}, ""});
            });
            // reasons, logs and facts may quote the candidate, whatever the verifier: here they enter every record
            write_frame(
                out, {{{"type", "result"}, {"id", job.id}, {"judgement", printable_document(to_json(judgement))}}, ""});
        } catch (const Error& e) {
            write_frame(out, {refusal(job.id, e), ""});
        } catch (const PartBroken& e) {
            write_frame(out, {{{"type", "broken"}, {"id", job.id}, {"reason", e.what()}}, ""});
            return false;
        }
    }
    return true;
}

}  // namespace

int bench_main() {
    // megabytes come and go with every call: they are kept, not given back and faulted in again
    mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that glibc takes
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    const int out = dup(STDOUT_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);  // a part that prints must not tear a frame
    if (share_place(bench_place)) close(bench_place);
    const std::optional<Frame> configure = read_frame(STDIN_FILENO, -1);
    if (!configure) return 0;
    try {
        const Settings settings = understand([&] { return Settings::from_json(configure->header.at("options")); });
        HostServices services(settings.without, settings.deadline);  // outlives every part
        set_bench_services(services.offer());
        Bench bench(configure->header, [out](const char* phase, double seconds) {
            write_frame(out, {{{"type", "phase"}, {"id", nullptr}, {"phase", phase}, {"seconds", seconds}}, ""});
        });
        write_frame(out, {bench.hello(), ""});
        return serve(bench, STDIN_FILENO, out) ? 0 : 1;
    } catch (const Error& e) {
        write_frame(out, {refusal(nullptr, e), ""});
    } catch (const PartBroken& e) {
        write_frame(out, {refusal(nullptr, Error(Blame::environment, "bench", e.what())), ""});
    } catch (const PartFailed& e) {
        write_frame(out, {refusal(nullptr, Error(Blame::environment, "bench", e.what())), ""});
    }
    return 1;
}

}  // namespace hone
