// A judge on the fake device, through real worker and bench processes.
#pragma once
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>
#include "judge/call/settings.hpp"
#include "judge/service/judge.hpp"
#include "lua/task_file.hpp"

namespace hone {

struct FakeJudge {
    Judge judge;
    std::uint64_t tickets = 0;

    explicit FakeJudge(Json options = Json::object(), const Json& verifier = Json::object(),
                       const Json& timer = Json::object())
        : judge(plan(std::move(options), verifier, timer)) {}

    static JudgePlan plan(Json options, const Json& verifier, const Json& timer) {
        options.emplace("seed", "7");  // the same keys and orders in every run of the test
        return {make_recipe("verifier", "fake", verifier, "test"), make_recipe("timer", "virtual", timer, "test"),
                make_recipe("reference", "lua", Json::object(), "test"),
                check_options(judge_options(), options, "test")};
    }

    std::uint64_t submit(const std::string& task, const std::string& program) {
        judge.submit(++tickets, load_task("fake/" + task), make_candidate(task, "fake", program));
        return tickets;
    }

    // Everything that is pending, by ticket.
    std::map<std::uint64_t, Judgement> collect_all() {
        std::map<std::uint64_t, Judgement> results;
        while (judge.pending()) {
            auto result = judge.collect(30);
            if (!result) {
                ADD_FAILURE() << "no result within 30 s";
                break;
            }
            results.insert(*result);
        }
        return results;
    }

    Judgement ask(const std::string& task, const std::string& program) {
        submit(task, program);
        return collect_all().begin()->second;
    }

    // As it travels.
    Json doc(const std::string& task, const std::string& program) { return to_json(ask(task, program)); }
    Json document() { return to_json(collect_all().begin()->second); }  // of the only one that is pending

    // "VERDICT: reason"
    std::string says(const std::string& task, const std::string& program) {
        const Judgement judgement = ask(task, program);
        return verdict_name(judgement.verdict) + (judgement.reason.empty() ? "" : ": " + judgement.reason);
    }
};

}  // namespace hone
