// A run's folder that goes with its test, and what is written into a journal there.
#pragma once
#include <gtest/gtest.h>
#include <stdlib.h>
#include <cmath>
#include <functional>
#include <string>
#include "base/error.hpp"
#include "base/paths.hpp"
#include "judge/judge_fixture.hpp"
#include "store/journal.hpp"

namespace hone {

class StoreTest : public ::testing::Test {
protected:
    StoreTest() { mkdtemp(path_); }
    ~StoreTest() override { fs::remove_all(path_); }
    std::string folder() const { return std::string(path_) + "/run"; }
    std::string file() const { return folder() + "/journal.sqlite"; }
    static RunInfo info() {
        return {"first",
                "first.lua",
                "print 'hello'",
                "0.1.0",
                18446744073709551615u,
                {{"rl.steps", 36}},
                {{"machine", "test"}}};
    }
    Journal fresh() const { return Journal::create(folder(), info()); }

private:
    char path_[32] = "/tmp/hone_store_XXXXXX";
};

inline std::string error_text(const std::function<void()>& body) {
    try {
        body();
    } catch (const Error& e) {
        return e.what();
    }
    return "no error";
}

inline Judgement passed(double lower, const std::string& hash = "h1") {
    Judgement judgement = rejected("softmax", hash, Verdict::PASSED, "");
    judgement.id = hash + "-" + std::to_string(lower);
    judgement.speedup = {lower + 0.1, lower, lower + 0.2, 0.95, "eager"};
    judgement.seconds = {0.5, 1.0, {}, {}, {}, {}};
    judgement.pairs = 2;
    judgement.wall.emplace().build = 0.05;
    judgement.wall->total = 0.2;
    judgement.samples = {{0.5, 0.25}, {1.0, 1.5}, {0, 1}, {0.5, NAN}, {true, true}, {}, {}};
    return judgement;
}

inline Submission program(const std::string& hash = "h1") {
    return {Candidate{"softmax", "code of " + hash, "", "cpp", hash}, "slow", "fast"};
}

}  // namespace hone
