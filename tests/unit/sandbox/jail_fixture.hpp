// A bench in small around verifier.cpp: builds a candidate, calls it in its jail, tells what came of it.
#pragma once
#include <gtest/gtest.h>
#include <cmath>
#include <memory>
#include <string>
#include <vector>
#include "base/process.hpp"
#include "judge/call/defences.hpp"
#include "parts/handle.hpp"
#include "sandbox/services.hpp"

namespace hone::jail_test {

inline constexpr long n = 4096;
inline const Json task = {{"inputs", {{{"name", "a"}, {"dtype", "f32"}}}},
                          {"outputs", {{{"name", "o"}, {"dtype", "f32"}}}},
                          {"sizes", {"N"}}};

struct Outcome {
    std::string verdict = "PASSED", kind, reason, log;
    std::vector<float> out;
    double seconds = 0;  // the last wait
    Json facts;
};

// A bench in small: one verifier, one input (0, 1, 2, ...), one output.
class Bench {
public:
    explicit Bench(const std::string& without = "", const Json& options = Json::object())
        : services_(parse_defences(without, "test"), 10) {
        set_bench_services(services_.offer());
        verifier_ = std::make_unique<Handle>(make_recipe("verifier", "cpp", options, "test"));
        functions_ = static_cast<const hone_verifier*>(verifier_->part().functions);
        timing_ = verifier_->extension<hone_timing>(HONE_EXT_TIMING);
        verifier_->check(functions_->reserve(verifier_->self(), n * sizeof(float), 0, &in_), "reserve");
        verifier_->check(functions_->reserve(verifier_->self(), n * sizeof(float), 1, &out_), "reserve");
        for (long i = 0; i < n; ++i) input()[i] = static_cast<float>(i);
    }
    float* input() { return reinterpret_cast<float*>(in_); }
    float* output() { return reinterpret_cast<float*>(out_); }

    // Builds the code and calls it `calls` times, held between the calls.
    Outcome judge(const std::string& code, int calls = 1, double limit = 3) {
        Outcome outcome;
        void* subject = open(code, &outcome.facts);
        if (!subject) return explain(outcome, outcome.facts);
        for (int call = 0; call < calls && outcome.verdict == "PASSED"; ++call) run(subject, limit, outcome);
        outcome.out.assign(output(), output() + n);
        close(subject);
        return outcome;
    }
    void* open(const std::string& code, Json* facts = nullptr) {
        Collect told;
        const Json candidate = {{"code", code}};
        void* subject = nullptr;
        verifier_->check(functions_->open(verifier_->self(), as_doc(task), as_doc(candidate), &subject, told.out()),
                         "open");
        if (facts) *facts = told.json();
        return subject;
    }
    void launch(void* subject) {
        const std::int64_t shape[] = {n}, sizes[] = {n};
        const hone_tensor in{in_, HONE_F32, 1, shape}, out{out_, HONE_F32, 1, shape};
        const hone_call call{sizeof call, &in, &out, 1, 1, 0, 0, sizes, 1, nullptr};
        verifier_->check(functions_->launch(subject, &call), "launch");
    }
    void suspend(void* subject, bool suspended) { verifier_->check(timing_->suspend(subject, suspended), "suspend"); }
    // Seconds until the last call is said to have ended.
    double wait(void* subject) {
        const double begun = monotonic_seconds();
        Collect end;
        double inside = NAN;
        verifier_->check(functions_->wait(subject, 10, &inside, end.out()), "wait");
        return monotonic_seconds() - begun;
    }
    std::string brief(const Json& of = task) {
        Collect told;
        verifier_->check(functions_->brief(verifier_->self(), as_doc(of), told.out()), "brief");
        return told.json().at("text");
    }
    void close(void* subject) { functions_->close(subject); }
    HostServices& services() { return services_; }
    bool checks_clock = true;  // off for candidates that write their own clock's reading

private:
    static Outcome& explain(Outcome& outcome, const Json& end) {
        outcome.verdict = end.at("verdict");
        outcome.reason = end.at("reason");
        outcome.kind = end.value("kind", "");
        outcome.log = end.value("log", "");
        return outcome;
    }
    void run(void* subject, double limit, Outcome& outcome) {
        suspend(subject, false);
        const double begun = monotonic_seconds();
        launch(subject);
        Collect end;
        double inside = NAN;
        const hone_rc rc = functions_->wait(subject, limit, &inside, end.out());
        outcome.seconds = monotonic_seconds() - begun;
        if (rc == HONE_FAILED) {
            explain(outcome, end.json());
        } else if (checks_clock) {
            EXPECT_LE(inside, outcome.seconds);
        }
        suspend(subject, true);
    }

    HostServices services_;
    std::unique_ptr<Handle> verifier_;
    const hone_verifier* functions_ = nullptr;
    const hone_timing* timing_ = nullptr;
    std::uint64_t in_ = 0, out_ = 0;
};

inline std::string kernel(const std::string& before, const std::string& first) {
    return before + "\nextern \"C\" void k(const float* a, float* o, long N) {\n" + first +
           "\nfor (long i = 0; i < N; i++) o[i] = a[i] * 2;\n}\n";
}

inline void expect_doubled(const Outcome& outcome) {
    ASSERT_EQ(outcome.verdict, "PASSED") << outcome.reason << "\n" << outcome.log;
    for (long i = 0; i < n; ++i) ASSERT_EQ(outcome.out[static_cast<std::size_t>(i)], 2.0f * static_cast<float>(i));
}

}  // namespace hone::jail_test
