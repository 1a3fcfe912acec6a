// domain/judgement.hpp: what the judge says of one candidate, as evidence: stored, shown, replayed, and handed to Lua
// and to shapers whole.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>
#include "base/json.hpp"
#include "domain/document.hpp"

namespace hone {

enum class Verdict {
    PASSED,
    PARSE_ERROR,
    COMPILE_ERROR,
    PLAN_ERROR,
    LAUNCH_ERROR,
    RUNTIME_ERROR,
    TIMEOUT,
    OUT_OF_MEMORY,
    INCORRECT_SHAPE,
    INCORRECT_NUMERICAL,
    NONDETERMINISTIC,
    REWARD_HACK,
    TOO_FAST,
    INFRASTRUCTURE
};

const char* verdict_name(Verdict);
Verdict parse_verdict(const std::string&);  // throws Error(input)
inline const char* name_of(Verdict verdict) { return verdict_name(verdict); }
inline Verdict parse_name(Verdict, const std::string& name) { return parse_verdict(name); }

struct LogSpeedup {
    double estimate = 0, lower = 0;
    std::optional<double> upper;

    static constexpr const char *title = "hone.LogSpeedup", *about = "A speed-up as a natural logarithm: 0 is as fast.";
    static constexpr auto table() {
        using S = LogSpeedup;
        return std::tuple{key("estimate", &S::estimate, "ln", "the natural logarithm of speedup.estimate"),
                          key("lower", &S::lower, "ln", "of speedup.lower: above 0 is surely faster"),
                          key("upper", &S::upper, "ln", "of speedup.upper")};
    }
};

struct Speedup {
    double estimate = 1, lower = 0;
    std::optional<double> upper;
    double level = 0;
    std::string baseline;
    LogSpeedup logarithm() const;

    static constexpr const char *title = "hone.Speedup",
                                *about = "A speed-up as a plain ratio, t_baseline / t_candidate: 1 is as fast.";
    static constexpr auto table() {
        using S = Speedup;
        return std::tuple{key("estimate", &S::estimate, "ratio", "the geometric mean over the pairs that count"),
                          key("lower", &S::lower, "ratio", "lower end of the confidence interval"),
                          key("upper", &S::upper, "ratio", "upper end; absent: the interval has none"),
                          key("level", &S::level, "share", "of confidence; 0: by CUDA-L1's protocol, which has none"),
                          key("baseline", &S::baseline,
                              "what the ratio is taken to: \"reference\", \"program\" (the task's own), or \"against\" "
                              "(another one)")};
    }
};

namespace judged {

struct Seconds {
    double candidate = 0, baseline = 0;
    std::optional<double> empty, independent, prepack, recorded;

    static constexpr const char *title = "hone.Seconds",
                                *about = "The typical time of one call, or what it costs in the timer's unit.";
    static constexpr auto table() {
        using S = Seconds;
        return std::tuple{
            key("candidate", &S::candidate, "judgement.unit", "of the candidate"),
            key("baseline", &S::baseline, "judgement.unit", "of what it is compared with"),
            key("empty", &S::empty, "judgement.unit", "of a call without work; it is in both times"),
            key("independent", &S::independent, "s", "of the candidate by a clock out of its reach"),
            key("prepack", &S::prepack, "s", "for preparing the constants before a call; not in candidate"),
            key("recorded", &S::recorded, "s", "of the candidate by a profiler in its process")};
    }
};

struct Roofline {
    double seconds = 0;
    std::string limit;
    double rate = 0, room = 0;

    static constexpr const char *title = "hone.Roofline", *about = "The least time that any program could need.";
    static constexpr auto table() {
        using S = Roofline;
        return std::tuple{key("seconds", &S::seconds, "s", "the least that the task can take on this device"),
                          key("limit", &S::limit, "what binds: \"bytes\" or \"flops\""),
                          key("rate", &S::rate, "1/s", "the device's peak of that"),
                          key("room", &S::room, "ratio", "times faster that a program at the roofline would be")};
    }
};

struct SliceScore {
    std::vector<double> slices;
    double variance = 0;
    bool steady = false;
    std::optional<bool> confirmed;

    static constexpr const char *title = "hone.SliceScore",
                                *about = "What the judge option protocol = \"cuda-l1\" adds.";
    static constexpr auto table() {
        using S = SliceScore;
        return std::tuple{key("slices", &S::slices, "ratio", "the score of each slice of the pairs"),
                          key("variance", &S::variance, "of the slices' scores"),
                          key("steady", &S::steady, "the variance is small enough for the score to count"),
                          key("confirmed", &S::confirmed, "of a remarkable score: a second measurement agreed")};
    }
};

struct WrongElement {
    std::vector<std::int64_t> index;
    Json got, expected;

    static constexpr const char *title = "hone.WrongElement", *about = "An element of an output that is wrong.";
    static constexpr auto table() {
        using S = WrongElement;
        return std::tuple{key("index", &S::index, "of the element, one number a dimension, from 0"),
                          key("got", &S::got, "what the program wrote: a number, \"inf\", \"-inf\" or \"nan\""),
                          key("expected", &S::expected, "the definition in float64, likewise")};
    }
};

struct Failure {
    std::string property;
    std::optional<std::string> tensor, shape, variant;
    std::optional<std::int64_t> hidden;
    std::string key;
    std::optional<std::map<std::string, std::int64_t>> sizes;
    std::optional<std::vector<WrongElement>> elements;
    std::optional<std::string> folder;

    static constexpr const char *title = "hone.Failure", *about = "Where a program failed.";
    static constexpr auto table() {
        using S = Failure;
        return std::tuple{
            hone::key("property", &S::property, "what did not hold (judge/correctness/compare.hpp)"),
            hone::key("tensor", &S::tensor, "name of the tensor"),
            hone::key("shape", &S::shape, "\"timed\" or \"hidden\""),
            hone::key("hidden", &S::hidden, "number of the hidden shape, from 1; drawn ones come after the task's"),
            hone::key("variant", &S::variant, "distribution of the inputs"),
            hone::key("key", &S::key, "the judge option seed with which it fails again"),
            hone::key("sizes", &S::sizes, "of that shape; with the judge option reveal alone, like what follows"),
            hone::key("elements", &S::elements, "the first ten that are wrong"),
            hone::key("folder", &S::folder, "with the call's inputs, outputs and truth as .npy files")};
    }
};

struct Samples {
    std::vector<double> candidate, baseline;
    std::vector<int> order;
    std::vector<double> inside;
    std::vector<bool> counted;
    std::optional<std::vector<double>> baseline_inside, independent;

    static constexpr const char *title = "hone.Samples", *about = "Raw readings, one entry a pair of calls.";
    static constexpr auto table() {
        using S = Samples;
        return std::tuple{
            key("candidate", &S::candidate, "judgement.unit", "the candidate's call"),
            key("baseline", &S::baseline, "judgement.unit", "the call of what it is compared with"),
            key("order", &S::order, "0: the candidate went first"),
            key("inside", &S::inside, "s",
                "the candidate's call by its own process, which may have forged it; null: not told"),
            key("counted", &S::counted,
                "the pair counts; others were disturbed, or had another kind of inputs than the slowest "
                "(clock.slowest_inputs; clock.perhaps_slowest: few pairs could not tell, all count)"),
            key("baseline_inside", &S::baseline_inside, "s", "the same of the program that it is compared with"),
            key("independent", &S::independent, "s", "the candidate's call by a clock out of its reach")};
    }
};

struct Wall {
    double build = 0, wait = 0, verify = 0, time = 0, total = 0, bench_cpu = 0, children_cpu = 0;
    std::optional<double> foreign, stolen;

    static constexpr const char *title = "hone.Wall", *about = "What the judging itself cost.";
    static constexpr auto table() {
        using S = Wall;
        return std::tuple{key("build", &S::build, "s", "compiling and loading"),
                          key("wait", &S::wait, "s", "for the machine, which another bench used"),
                          key("verify", &S::verify, "s", "verifying"),
                          key("time", &S::time, "s", "timing"),
                          key("total", &S::total, "s", "build, verify and time"),
                          key("bench_cpu", &S::bench_cpu, "s", "processor time of reference and comparing"),
                          key("children_cpu", &S::children_cpu, "s", "processor time of compiler and candidate"),
                          key("foreign", &S::foreign, "cores",
                              "that other programs used while the candidate was timed, on average; absent: not told"),
                          key("stolen", &S::stolen, "cores",
                              "that the host of this virtual machine gave to others meanwhile; absent: not told")};
    }
};

struct Verified {
    std::int64_t calls = 0, at_timed_shape = 0;
    std::map<std::string, std::int64_t> smallest, largest;

    static constexpr const char *title = "hone.Verified", *about = "What a candidate's answers were compared for.";
    static constexpr auto table() {
        using S = Verified;
        return std::tuple{key("calls", &S::calls, "that one process of the candidate made before any was timed"),
                          key("at_timed_shape", &S::at_timed_shape, "so many of them"),
                          key("smallest", &S::smallest, "sizes, each the smallest of all shapes"),
                          key("largest", &S::largest, "sizes, each the largest of all shapes")};
    }
};

struct Part {
    std::string id;
    Json options = Json::object();
    std::string file_hash;
    std::optional<Json> facts;

    static constexpr const char *title = "hone.JudgedBy", *about = "A part that took part in the judging.";
    static constexpr auto table() {
        using S = Part;
        return std::tuple{
            key("id", &S::id, "as in its file's name"), key("options", &S::options, "as checked, presets filled in"),
            key("file_hash", &S::file_hash, "SHA-256 of its library"),
            key("facts", &S::facts,
                "of a verifier: device, driver and compiler; of a reference: library, threads, instructions")};
    }
};

}  // namespace judged

struct Judgement {
    Verdict verdict = Verdict::INFRASTRUCTURE;
    std::string reason;
    std::optional<std::string> kind;
    std::optional<judged::Failure> failure;
    std::optional<std::string> outcome;
    std::optional<Speedup> speedup;
    std::optional<judged::Seconds> seconds, cost;
    std::string unit = "s";
    double noise = 0;
    std::optional<std::int64_t> pairs, discarded, processes;
    std::optional<double> planted;
    std::optional<std::string> baseline_form;
    std::optional<std::map<std::string, double>> baseline_forms;
    std::optional<double> roofline_share;
    std::optional<judged::Roofline> roofline;
    std::optional<judged::SliceScore> cuda_l1;
    std::optional<judged::Samples> samples;
    std::optional<judged::Verified> verified;
    Json clock = Json::object();
    std::optional<judged::Wall> wall;
    std::string task, suite;
    std::map<std::string, std::int64_t> sizes;
    std::string task_hash, hash, id;
    std::vector<std::string> keys, defences_off;
    std::string trust, device, sandbox;
    std::optional<judged::Part> verifier, timer, reference;
    Json facts = Json::object();
    std::string log;
    std::optional<std::string> replay;

    bool passed() const { return verdict == Verdict::PASSED; }
    bool scorable() const { return verdict != Verdict::INFRASTRUCTURE; }
    const std::optional<judged::Seconds>& per_call() const { return seconds ? seconds : cost; }  // in the unit
    std::optional<LogSpeedup> log_speedup() const;
    std::string schema() const { return "hone.judgement/1"; }

    static constexpr const char *title = "hone.Judgement", *about = "What the judge says of one candidate.";
    static constexpr auto table() {
        using S = Judgement;
        return std::tuple{
            key("schema", &S::schema, "\"hone.judgement/1\""),
            key("verdict", &S::verdict,
                "PASSED, PARSE_ERROR, COMPILE_ERROR, PLAN_ERROR, LAUNCH_ERROR, RUNTIME_ERROR, TIMEOUT, OUT_OF_MEMORY, "
                "INCORRECT_SHAPE, INCORRECT_NUMERICAL, NONDETERMINISTIC, REWARD_HACK, TOO_FAST or INFRASTRUCTURE"),
            key("passed", &S::passed, "verdict is PASSED"),
            key("scorable", &S::scorable, "false: verdict is INFRASTRUCTURE, which says nothing about the candidate"),
            key("reason", &S::reason, "one line for people; may be empty"),
            key("kind", &S::kind,
                "which rule a REWARD_HACK broke; of an INFRASTRUCTURE \"busy\": the machine was, and another try may "
                "do"),
            key("failure", &S::failure, "of a program that gave wrong answers or whose call failed"),
            key("outcome", &S::outcome,
                "of a passed one: \"faster\", \"slower\" or \"ambiguous\"; in another unit than seconds \"less\" (it "
                "costs less), \"more\" or \"ambiguous\""),
            key("speedup", &S::speedup, "of a timed one, as plain ratios"),
            key("log_speedup", &S::log_speedup, "the same as natural logarithms"),
            key("seconds", &S::seconds, "of a timed one: times of one call; absent where the unit is another"),
            key("cost", &S::cost, "of one that was measured in another unit than seconds: the same in that unit"),
            key("unit", &S::unit, "of the timer's readings: \"s\", unless a timer counts something else"),
            key("noise", &S::noise, "ln", "the task's noise floor: the reference against itself; 0: not measured"),
            key("pairs", &S::pairs, "pairs of calls that count"),
            key("discarded", &S::discarded, "pairs left out: one side was disturbed"),
            key("processes", &S::processes, "processes of the candidate in which pairs were read"),
            key("planted", &S::planted, "share", "by which each timed call was prolonged: a test of the statistics"),
            key("baseline_form", &S::baseline_form,
                "which form of the reference is the baseline: \"eager\", \"graph\", \"compiled\", \"compiled graph\""),
            key("baseline_forms", &S::baseline_forms, "judgement.unit", "time of each form; null: its answer is wrong"),
            key("roofline_share", &S::roofline_share, "share", "roofline.seconds / seconds.candidate"),
            key("roofline", &S::roofline, "where the least work of the task and the device's peaks are known"),
            key("cuda_l1", &S::cuda_l1, "by CUDA-L1's protocol only"),
            key("samples", &S::samples, "of a timed one"),
            key("verified", &S::verified, "of what reached a bench; in it drawn shapes count too"),
            key("clock", &S::clock, "what the timer reported"),
            key("wall", &S::wall, "of what reached a bench"),
            key("task", &S::task, "name of the task's instance"),
            key("suite", &S::suite, "its suite; may be empty"),
            key("sizes", &S::sizes, "of the timed shape"),
            key("task_hash", &S::task_hash, "SHA-256 of all that decides a verdict in the task"),
            key("hash", &S::hash, "the candidate's; empty: the answer held none"),
            key("id", &S::id, "what `hone show` and `hone replay` know it by; may be empty"),
            key("keys", &S::keys, "each is a judge option seed with which the judging repeats"),
            key("defences_off", &S::defences_off,
                "why it is no score: defences that were switched off, \"planted\", \"revealed\", what a verifier "
                "names"),
            key("trust", &S::trust, "the verifier's tier, and walls that do not hold"),
            key("device", &S::device, "kind of device, as the verifier calls it"),
            key("sandbox", &S::sandbox,
                "level and means of confinement; \"none: ...\": the verifier runs candidates in the bench"),
            key("verifier", &S::verifier, "of what reached a bench"),
            key("timer", &S::timer, "likewise"),
            key("reference", &S::reference, "likewise"),
            key("facts", &S::facts, "what the verifier reported of the build"),
            key("log", &S::log, "the compiler's words about the candidate's own lines"),
            key("replay", &S::replay, "the command that judges again; `hone judge` adds it")};
    }
};

Judgement rejected(const std::string& task, const std::string& hash, Verdict, std::string reason);

Json to_json(const Judgement&);
// Throws Error(input) that names the key which is missing or of another type.
Judgement judgement_from_json(const Json&);

// A program of the archive that passed, as prompts show it.
struct Exemplar {
    std::string task, hash, code, plan, language;
    Speedup speedup;
    std::optional<judged::Seconds> seconds, cost;
    std::int64_t judged = 0, op = 0;
    std::string unit = "s", task_hash;
    bool passed() const { return true; }
    LogSpeedup log_speedup() const { return speedup.logarithm(); }

    static constexpr const char *title = "hone.Exemplar", *about = "A passed candidate of the archive.";
    static constexpr auto table() {
        using S = Exemplar;
        return std::tuple{key("task", &S::task, "name of the task's instance"),
                          key("hash", &S::hash, "the candidate's"),
                          key("code", &S::code, "the program; in prompts its canonical text"),
                          key("plan", &S::plan, "launch plan; empty: none"),
                          key("language", &S::language, "fence of the program in an answer"),
                          key("passed", &S::passed, "true"),
                          key("speedup", &S::speedup, "of its newest judgement, as plain ratios"),
                          key("log_speedup", &S::log_speedup, "the same as natural logarithms"),
                          key("seconds", &S::seconds, "times of one call"),
                          key("cost", &S::cost, "what a call costs, where the timer's unit is no second"),
                          key("unit", &S::unit, "of the timer's readings, as in a judgement"),
                          key("judged", &S::judged, "how often its program was judged"),
                          key("op", &S::op, "operation of the journal with its newest judgement"),
                          key("task_hash", &S::task_hash, "of the task, as in a judgement")};
    }
};

Json to_json(const Exemplar&);

}  // namespace hone
