// The journal: what was committed is there, and comes back as it was.
#include <algorithm>
#include "base/quantity.hpp"
#include "store/changes.hpp"
#include "store/sqlite.hpp"
#include "store/store_fixture.hpp"

namespace hone {
namespace {

TEST_F(StoreTest, RunInfoSurvives) {
    fresh();
    const RunInfo back = Journal::read(folder()).info();
    EXPECT_EQ(back.name, "first");
    EXPECT_EQ(back.seed, 18446744073709551615u);
    EXPECT_EQ(back.script_text, "print 'hello'");
    EXPECT_EQ(back.settings, (Json{{"rl.steps", 36}}));
    EXPECT_EQ(back.host, (Json{{"machine", "test"}}));
}

TEST_F(StoreTest, OperationsReplayAfterResume) {
    {
        Journal journal = fresh();
        EXPECT_EQ(journal.begin("rollout", {{"step", 1}}), 1);
        journal.end(1, {{"groups", 3}});
        EXPECT_EQ(journal.begin("learn", {{"lr", 0.1}}), 2);
    }
    Journal journal = Journal::resume(folder(), info());
    EXPECT_EQ(journal.begin("rollout", {{"step", 1}}), 1);
    EXPECT_EQ(journal.result(1), (Json{{"groups", 3}}));
    EXPECT_EQ(journal.begin("learn", {{"lr", 0.1}}), 2);
    EXPECT_FALSE(journal.result(2));
}

TEST_F(StoreTest, ChangedScriptIsNamed) {
    {
        Journal journal = fresh();
        journal.begin("rollout", {{"step", 1}});
        journal.begin("learn", {{"lr", 0.1}, {"options", {{"model", "a"}}}});
        journal.put_answer({2, 0, 0}, {{"text", "x"}, {"finish", "stop"}});
    }
    const std::string cure =
        "; neither the script, its modules nor its settings changed since then, but something that they name did: a "
        "task, a policy's files; undo that, or begin another run with --new";
    Journal first = Journal::resume(folder(), info());
    EXPECT_EQ(error_text([&] { first.begin("learn", {}); }),
              file() + ": operation 1 was recorded as rollout and is now learn" + cure);
    EXPECT_EQ(
        error_text([&] {
            first.begin("learn", {{"lr", 0.1}, {"options", {{"model", "b"}}}});
        }),
        file() + ": operation 2 (learn) was recorded with another value of \"options.model\": \"a\", now \"b\"" + cure);
}

// Scripts name rows and folders after their run.
TEST_F(StoreTest, ANameThatChangedIsNamed) {
    {
        Journal journal = fresh();
        journal.begin("save", {{"folder", "runs/first/best"}});
        journal.end(1, Json::object());
    }
    RunInfo other = info();
    other.name = "second";
    EXPECT_NE(error_text([&] {
                  Journal::resume(folder(), other).begin("save", {{"folder", "runs/second/best"}});
              }).find("; since then the run's name changed: second (was first); undo that"),
              std::string::npos);
}

TEST_F(StoreTest, AnotherStageIsToldBeforeWhatItDoes) {
    const Json recorded = {{"group", 8}, {"stage", "collect"}, {"step", 1}};
    EXPECT_EQ(first_difference(recorded, {{"group", 4}, {"stage", "rl"}, {"step", 2}}), "stage");
    EXPECT_EQ(first_difference(recorded, {{"group", 4}, {"stage", "collect"}, {"step", 2}}), "group");
    EXPECT_EQ(first_difference(recorded, recorded), std::nullopt);
}

TEST_F(StoreTest, AnOperationThatHoldsNothingMayChange) {
    {
        Journal journal = fresh();
        journal.begin("rollout", {{"asks", {{"model", "a"}}}});
        journal.put_prompt(1, 0, {{"task", "old"}});
    }
    {
        Journal journal = Journal::resume(folder(), info());
        EXPECT_EQ(journal.begin("rollout", {{"asks", {{"model", "b"}}}}), 1);
        journal.put_prompt(1, 0, {{"task", "new"}});
        EXPECT_EQ(journal.prompt(1, 0).value()["task"], "new");
        journal.put_answer({1, 0, 0}, {{"text", "x"}, {"finish", "stop"}});
    }
    EXPECT_NE(error_text([&] {
                  Journal::resume(folder(), info()).begin("rollout", {{"asks", {{"model", "a"}}}});
              }).find("operation 1 (rollout) was recorded with another value of \"asks.model\": \"b\", now \"a\""),
              std::string::npos);
}

TEST_F(StoreTest, AnswersComeBackBitForBit) {
    Journal journal = fresh();
    const auto op = journal.begin("rollout", {});
    const Json answer = {{"text", std::string("bytes \xff\xfe\0 kept", 15)},
                         {"ids", {1, 2, -3}},
                         {"prompt_ids", {7, 7}},
                         {"logp", {-0.5, static_cast<double>(-0.1f)}},
                         {"finish", "stop"},
                         {"version", 3},
                         {"tokens_in", 2.0},
                         {"usd", 0.1}};
    const auto exact = [](const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::ignore); };
    journal.put_answer({op, 0, 1}, answer);
    EXPECT_EQ(exact(*journal.answer({op, 0, 1})), exact(answer));
    EXPECT_EQ((*journal.answer({op, 0, 1}))["text"], answer["text"]);
    EXPECT_FALSE(journal.answer({op, 0, 0}));
    // no int32, no float32: kept as they are
    const Json odd = {{"text", nullptr}, {"ids", {1, 5000000000}}, {"logp", {0.1, 1}}};
    journal.put_answer({op, 0, 2}, odd);
    EXPECT_EQ(exact(*journal.answer({op, 0, 2})), exact(odd));
}

TEST_F(StoreTest, WhatIsCommittedStays) {
    Journal journal = fresh();
    const auto op = journal.begin("rollout", {});
    journal.put_answer({op, 0, 0}, {{"text", "a"}});
    EXPECT_NE(error_text([&] {
                  journal.put_answer({op, 0, 0}, {{"text", "b"}});
              }).find("UNIQUE constraint failed"),
              std::string::npos);
    journal.put_reward({op, 0, 0}, 1.5, "fast");
    journal.put_reward({op, 0, 0}, 1.5, "fast");
    EXPECT_EQ(error_text([&] {
                  journal.put_reward({op, 0, 0}, 9.0, "other");
              }),
              "run:shape: another reward of member 1 in group 1 was committed before: 1.5, now 9; a run has one "
              "objective: shape a group once, and compute what else you look at in Lua");
    journal.put_reward({op, 0, 1}, NAN, "left out");
    EXPECT_EQ(journal.rows("SELECT raw, reason FROM reward ORDER BY member"),
              (std::vector<Json>{{{"raw", 1.5}, {"reason", "fast"}}, {{"raw", nullptr}, {"reason", "left out"}}}));
    const Json halved = Json::array({{{"name", "halved"}, {"value", 0.75}}});
    journal.put_rewarded({op, 0, 0}, {1.5, 0.75, 0.25, "fast", halved});
    journal.put_rewarded({op, 0, 0}, {1.5, 0.75, 0.25, "fast", halved});
    EXPECT_EQ(error_text([&] {
                  journal.put_rewarded({op, 0, 0}, {9.0, 9.0, 9.0, "other"});
              }),
              "run:rewarded: another reward of member 1 in group 1 was committed before: 1.5, now 9; a run has one "
              "objective: commit the rewards of a rollout once");
    EXPECT_EQ(
        journal.rows("SELECT raw, reason, changes, value, advantage FROM reward WHERE member = 0"),
        (std::vector<Json>{
            {{"raw", 1.5}, {"reason", "fast"}, {"changes", halved.dump()}, {"value", 0.75}, {"advantage", 0.25}}}));
    EXPECT_EQ((*journal.answer({op, 0, 0}))["text"], "a");
}

// Of a resumed run: what nothing was made of yet gives way, what operations rest on must be the same.
TEST_F(StoreTest, RewardsAreComparedWhereSomethingWasMadeOfThem) {
    const Json changes = Json::array({{{"name", "own.lua:7"}, {"value", 0.75}}});
    {
        Journal journal = fresh();
        const auto op = journal.begin("rollout", {});
        journal.end(op, {});
        journal.put_rewarded({op, 0, 0}, {1.5, 0.75, 0.25, "", changes});
        journal.end(journal.begin("learn", {}), {});
        journal.end(journal.begin("rollout", {}), {});
        journal.put_reward({3, 0, 0}, 1.0, "");
    }
    const auto told = [&](const Rewarded& one) {
        Journal journal = Journal::resume(folder(), info());
        const std::string text = error_text([&] { journal.put_rewarded({1, 0, 0}, one); });
        return text == "no error" ? text : text.substr(0, text.find("; neither")).erase(0, text.find("operation"));
    };
    const Json moved = Json::array({{{"name", "own.lua:9"}, {"value", 0.75}}});
    EXPECT_EQ(told({1.5, 0.75, 0.25, "", moved}), "no error");
    EXPECT_EQ(told({-1.5, 0.75, 0.25, "", changes}),
              "operation 1 (rollout) was recorded with another reward of member 1 in group 1: 1.5, now -1.5");
    EXPECT_EQ(told({1.5, 0.75, {}, "", changes}),
              "operation 1 (rollout) was recorded with another advantage of member 1 in group 1: 0.25, now none");
    EXPECT_EQ(told({1.5, 0.75, 0.25, ""}),
              "operation 1 (rollout) was recorded with another number of changes of the reward of member 1 in group 1: "
              "1, now 0");
    Journal journal = Journal::resume(folder(), info());
    journal.put_reward({3, 0, 0}, 2.0, "");
    EXPECT_EQ(journal.rows("SELECT raw FROM reward WHERE op = 3").at(0)["raw"], 2.0);
}

TEST_F(StoreTest, JudgementsComeBackWhole) {
    Journal journal = fresh();
    const auto op = journal.begin("rollout", {});
    journal.put_prompt(op, 0,
                       {{"task", "softmax"},
                        {"stage", "rl"},
                        {"step", 4},
                        {"messages", {{{"role", "user"}, {"text", "go"}}}},
                        {"exemplars", {"x", "y"}}});
    EXPECT_EQ(journal.prompt(op, 0)->at("messages")[0]["text"], "go");
    journal.put_judgement({op, 0, 0}, program(), passed(1.2));
    EXPECT_EQ(to_json(*journal.judgement({op, 0, 0})), to_json(passed(1.2)));
    EXPECT_EQ(journal.rows("SELECT candidate, baseline FROM sample ORDER BY pair"),
              (std::vector<Json>{{{"candidate", 0.5}, {"baseline", 1.0}}, {{"candidate", 0.25}, {"baseline", 1.5}}}));
    journal.put_judgement({op, 0, 1}, {}, rejected("softmax", "", Verdict::PARSE_ERROR, "no ```cpp block"));
    journal.put_rewarded({op, 0, 0}, {0.7, 0.35, 0.1, "", {{{"name", "halved"}, {"value", 0.35}}}});
    const Json row = journal.rows("SELECT * FROM v_candidate WHERE member = 0").at(0);
    EXPECT_EQ(row["stage"], "rl");
    EXPECT_EQ(row["step"], 4);
    EXPECT_EQ(row["speedup_lower"], 1.2);
    EXPECT_EQ(row["reward_raw"], 0.7);
    EXPECT_EQ(row["reward"], 0.35);
    EXPECT_EQ(row["advantage"], 0.1);
    EXPECT_EQ(row["exemplars"], 2);
    EXPECT_EQ(row["wall_total"], 0.2);
    EXPECT_EQ(row["code_bytes"], 10);
    EXPECT_EQ(journal.rows("SELECT verdict, scored FROM v_candidate ORDER BY member"),
              (std::vector<Json>{{{"verdict", "PASSED"}, {"scored", 1}}, {{"verdict", "PARSE_ERROR"}, {"scored", 0}}}));
}

TEST_F(StoreTest, ARealJudgementsSamplesAreRows) {
    const Judgement judgement = FakeJudge().ask("axpy", "3 1 4");
    const Json samples = to_json(judgement)["samples"];
    Journal journal = fresh();
    const auto op = journal.begin("rollout", {});
    journal.put_judgement({op, 0, 0}, program(), judgement);
    EXPECT_EQ(to_json(*journal.judgement({op, 0, 0})), to_json(judgement));
    const auto rows = journal.rows("SELECT candidate, baseline, \"order\", inside, counted FROM sample ORDER BY pair");
    ASSERT_EQ(rows.size(), judgement.samples->candidate.size());
    EXPECT_EQ(rows[0].size(), samples.size()) << "a column for each thing that the judge noted";
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (const auto& [key, value] : rows[i].items()) {
            const Json& noted = samples.at(key)[i];
            EXPECT_EQ(value, noted.is_boolean() ? Json(noted.get<bool>() ? 1 : 0) : noted) << key << " of pair " << i;
        }
    EXPECT_EQ(journal.rows("SELECT doc ->> '$.samples' AS rest FROM judgement").at(0)["rest"], nullptr);
}

TEST_F(StoreTest, ATimerThatCountsInAnotherUnitIsRefused) {
    const auto timed = [](const char* id, const char* hash, const std::string& unit) {
        Judgement judgement = passed(1.2, hash);
        if (unit != "s") judgement.cost = std::exchange(judgement.seconds, std::nullopt);
        judgement.timer = {id, {{"counter", "cycles"}, {"share", 0.1}}, "f0", {}};
        judgement.unit = unit;
        return judgement;
    };
    {
        Journal journal = fresh();
        journal.begin("rollout", {});
        Judgement refused = rejected("softmax", "h0", Verdict::COMPILE_ERROR, "");  // tells no unit
        refused.timer = timed("meter", "h0", "s").timer;
        journal.put_judgement({1, 0, 0}, program("h0"), refused);
        journal.put_judgement({1, 0, 1}, program(), timed("meter", "h1", "J"));
    }
    Journal journal = Journal::resume(folder(), info());
    journal.begin("rollout", {});
    const std::string told = file() +
                             ": timer \"meter\" counted in \"J\" when this run was recorded, and counts in \"s\" now; "
                             "build it with the old unit again, or begin another run with --new";
    for (int again = 0; again < 2; ++again)
        EXPECT_EQ(error_text([&] {
                      journal.put_judgement({1, 0, 2}, program("h2"), timed("meter", "h2", "s"));
                  }),
                  told);
    journal.put_judgement({1, 0, 2}, program("h2"), timed("meter", "h2", "J"));
    journal.put_judgement({1, 0, 3}, program("h3"), timed("clock", "h3", "s"));
}

// Joules and seconds of one program stand side by side; a program that is refused loses both.
TEST_F(StoreTest, TheArchiveHoldsEachUnitApart) {
    Journal journal = fresh();
    journal.begin("rollout", {});
    std::int32_t member = 0;
    const auto put = [&](const char* hash, double lower, const std::string& unit) {
        Judgement judgement = passed(lower, hash);
        judgement.id += unit;
        if (unit != "s") judgement.cost = std::exchange(judgement.seconds, std::nullopt);
        judgement.unit = unit;
        journal.put_judgement({1, 0, member++}, program(hash), judgement);
    };
    put("h1", 1.2, "s"), put("h1", 3.0, "J"), put("h2", 2.0, "s"), put("h1", 1.4, "s");
    const auto found = [&](const std::string& unit) {
        std::string text;
        for (const Exemplar& one : journal.find({.task = "softmax", .unit = unit}))
            text += one.hash + " " + plain_number(one.speedup.lower) + " " + one.unit + " " +
                    std::to_string(one.judged) + "; ";
        return text;
    };
    EXPECT_EQ(found(""), "h1 3 J 1; h2 2 s 1; h1 1.4 s 2; ");
    EXPECT_EQ(found("s"), "h2 2 s 1; h1 1.4 s 2; ");
    EXPECT_EQ(found("J"), "h1 3 J 1; ");
    journal.put_judgement({1, 0, member++}, program("h1"), rejected("softmax", "h1", Verdict::INCORRECT_NUMERICAL, ""));
    EXPECT_EQ(found(""), "h2 2 s 1; ");
    put("h1", 1.1, "s");
    EXPECT_EQ(found(""), "h2 2 s 1; h1 1.1 s 3; ") << "what was measured before the refusal stays away";
}

// A part built anew between a stop and its resume: no operation mixes two builds, and where operations do it is said.
TEST_F(StoreTest, APartThatIsAnotherBuildIsRefusedWithinAnOperation) {
    const auto judged = [](const char* verifier, const char* timer) {
        Judgement judgement = passed(1.2);
        judgement.verifier = {"cpp", {}, verifier, {}};
        judgement.timer = {"exact", {}, timer, {}};
        return judgement;
    };
    {
        Journal journal = fresh();
        journal.begin("rollout", {});
        journal.put_judgement({1, 0, 0}, program(), judged("aaaaaaaa1", "ff30e20a1"));
    }
    Journal journal = Journal::resume(folder(), info());
    journal.begin("rollout", {});
    const auto refusal = [&](const char* verifier, const char* timer) {
        return error_text([&] { journal.put_judgement({1, 0, 1}, program(), judged(verifier, timer)); });
    };
    for (int again = 0; again < 2; ++again)
        EXPECT_EQ(refusal("aaaaaaaa1", "ea5b71691"),
                  file() +
                      ": timer \"exact\" (file ea5b7169) is another build than the one that judged in operation 1 "
                      "so far (file ff30e20a); put the old build back, or begin another run with --new");
    EXPECT_TRUE(
        refusal("bbbbbbbb1", "ff30e20a1").starts_with(file() + ": verifier \"cpp\" (file bbbbbbbb) is another"));
    journal.put_judgement({1, 0, 1}, program(), judged("aaaaaaaa1", "ff30e20a1"));
    journal.end(1, {});
    journal.begin("rollout", {});
    ::testing::internal::CaptureStderr();
    for (int member = 0; member < 2; ++member)
        journal.put_judgement({2, 0, member}, program(), judged("aaaaaaaa1", "ea5b71691"));
    EXPECT_EQ(::testing::internal::GetCapturedStderr(),
              "timer \"exact\" has changed since operation 1: what the journal holds up to there was judged by the "
              "former one\n");
}

TEST_F(StoreTest, SamplesBesideAnotherProgramAreRowsToo) {
    Judgement judgement = passed(1.2);
    judgement.samples->counted = {true, false};
    judgement.samples->baseline_inside = {0.75, NAN};
    judgement.samples->independent = {1.5, 2.5};
    Journal journal = fresh();
    const auto op = journal.begin("rollout", {});
    journal.put_judgement({op, 0, 0}, program(), judgement);
    EXPECT_EQ(to_json(*journal.judgement({op, 0, 0})), to_json(judgement));
    EXPECT_EQ(journal.rows("SELECT counted, baseline_inside, independent FROM sample ORDER BY pair"),
              (std::vector<Json>{{{"counted", 1}, {"baseline_inside", 0.75}, {"independent", 1.5}},
                                 {{"counted", 0}, {"baseline_inside", nullptr}, {"independent", 2.5}}}));
}

// Every number and text of a judgement can be asked for by name.
TEST_F(StoreTest, EachKeyOfAJudgementIsAColumn) {
    Judgement judgement = passed(1.5);
    judgement.roofline = {1e-6, "bytes", 2e11, 3.0};
    judgement.kind = "processes";
    judgement.failure.emplace().hidden = 4;
    Journal journal = fresh();
    const auto op = journal.begin("rollout", {});
    journal.put_judgement({op, 0, 0}, program(), judgement);
    const Json row = journal.rows("SELECT * FROM v_candidate").at(0), doc = to_json(judgement).flatten();
    std::size_t compared = 0;
    for (const auto& [path, value] : doc.items()) {
        std::string name = path.substr(1);
        std::replace(name.begin(), name.end(), '/', '_');
        if (!row.contains(name)) continue;
        EXPECT_EQ(row[name], value.is_boolean() ? Json(value.get<bool>() ? 1 : 0) : value) << name;
        ++compared;
    }
    EXPECT_GT(compared, 30u);
    for (const char* name : {"roofline_room", "kind", "failure_hidden", "log_speedup_lower", "wall_total", "passed"})
        EXPECT_FALSE(row.at(name).is_null()) << name;
    EXPECT_TRUE(row.at("planted").is_null());
}

TEST_F(StoreTest, ArchiveKeepsTheNewestWord) {
    Journal journal = fresh();
    const auto first = journal.begin("rollout", {});
    journal.put_judgement({first, 0, 0}, program("slow"), passed(0.9, "slow"));
    journal.put_judgement({first, 0, 1}, program("fast"), passed(2.0, "fast"));
    journal.put_judgement({first, 0, 2}, program("lucky"), passed(5.0, "lucky"));
    const auto second = journal.begin("rollout", {});
    journal.put_judgement({second, 0, 0}, program("fast"), passed(1.9, "fast"));
    journal.put_judgement({second, 0, 1}, program("lucky"),
                          rejected("softmax", "lucky", Verdict::NONDETERMINISTIC, ""));
    journal.put_judgement({second, 0, 2}, program("slow"), rejected("softmax", "slow", Verdict::INFRASTRUCTURE, ""));
    Judgement tested = passed(9.0, "tested");
    tested.defences_off = {"poison"};
    journal.put_judgement({second, 0, 3}, program("tested"), tested);
    const auto hashes = [&](const Journal::Query& query) {
        std::string text;
        for (const Exemplar& one : journal.find(query)) text += one.hash + " ";
        return text;
    };
    EXPECT_EQ(hashes({"softmax"}), "fast slow ");
    EXPECT_EQ(hashes({"softmax", "speedup.lower"}), "slow fast ");
    EXPECT_EQ(hashes({"softmax", "-age"}), "slow fast ");
    EXPECT_EQ(hashes({"", "-speedup.lower", second}), "lucky fast slow ");
    EXPECT_EQ(hashes({"other"}), "");
    EXPECT_EQ(hashes({"softmax", "-speedup.lower", 0, 0, first, {second}}), "fast ") << "a branch";
    EXPECT_EQ(hashes({"softmax", "-speedup.lower", 0, 0, second}), "lucky fast slow ") << "and one without finds";
    const Exemplar best = journal.find({"softmax", "-speedup.lower", 0, 1}).at(0);
    EXPECT_EQ(best.speedup.lower, 1.9);
    EXPECT_EQ(best.judged, 2);
    journal.put_judgement({second, 1, 0}, program("fast"),
                          passed(1.9, "fast"));  // the same program again: it shares the judgement
    EXPECT_EQ(journal.find({"softmax", "-speedup.lower", 0, 1}).at(0).judged, 2);
    EXPECT_EQ(best.code, "code of fast");
    EXPECT_EQ(
        error_text([&] {
            journal.find({"softmax", "speedup.lowr"});
        }),
        "archive: no order \"speedup.lowr\"; did you mean \"speedup.lower\"? (orders: age, random, speedup.estimate, "
        "speedup.lower, speedup.upper); a leading minus turns all but random round");
}

// A comparison with another program, or a closer look with a defence off, neither ranks a program nor unranks it.
TEST_F(StoreTest, OnlyJudgementsThatCountRank) {
    Journal journal = fresh();
    const auto op = journal.begin("judge", {});
    journal.put_judgement({op, 0, 0}, program("slow"), passed(1.5, "slow"));
    journal.put_judgement({op, 0, 1}, program("fast"), passed(2.0, "fast"));
    Judgement compared = passed(9.0, "slow"), seen = rejected("softmax", "fast", Verdict::INCORRECT_NUMERICAL, "");
    compared.speedup->baseline = "against";
    seen.defences_off = {"revealed"};
    journal.put_judgement({op, 1, 0}, program("slow"), compared);
    journal.put_judgement({op, 1, 1}, program("fast"), seen);
    const auto found = journal.find({"softmax"});
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].hash, "fast");
    EXPECT_EQ(found[0].judged, 1) << "times that count";
    EXPECT_EQ(found[1].speedup.lower, 1.5);
    journal.put_judgement({op, 2, 0}, program("fast"), rejected("softmax", "fast", Verdict::INCORRECT_NUMERICAL, ""));
    EXPECT_EQ(journal.find({"softmax"}).size(), 1u) << "a failure counts";
}

TEST_F(StoreTest, AnotherCommentMakesNoOtherProgram) {
    Journal journal = fresh();
    const auto op = journal.begin("rollout", {});
    const auto with = [](const std::string& hash, const std::string& code) {
        Submission one = program(hash);
        one.candidate->code = code;
        return one;
    };
    journal.put_judgement({op, 0, 0}, with("first", "int a;"), passed(2.0, "first"));
    journal.put_judgement({op, 0, 1}, with("again", "int a; // lucky this time"), passed(1.5, "again"));
    journal.put_judgement({op, 0, 2}, with("other", "int b;"), passed(1.0, "other"));
    const auto found = journal.find({"softmax"});
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].code, "int a; // lucky this time") << "the newest word, and the raw text";
    EXPECT_EQ(found[0].judged, 2);
}

TEST_F(StoreTest, StagesEventsUpdatesCheckpoints) {
    Journal journal = fresh();
    const auto op = journal.begin("record", {{"stage", "sft"}});
    journal.put_stage(op, "sft", {{"samples", 10}, {"seconds", 1.5}});
    journal.put_event(op, "step", {{"loss", 0.5}});
    journal.put_event(op, "step", {{"loss", 0.7}});
    journal.put_update(op, "p", {{"objective", 0.25}, {"version", 1}});
    EXPECT_FALSE(journal.last_checkpoint("p"));
    journal.put_checkpoint(op, "p", "checkpoints/1");
    EXPECT_EQ(journal.last_checkpoint("p")->folder, "checkpoints/1");
    EXPECT_EQ(journal.rows("SELECT doc, wall FROM stage_row"),
              (std::vector<Json>{{{"doc", "{\"samples\":10}"}, {"wall", 1.5}}}));
    EXPECT_EQ(journal.rows("SELECT doc FROM event"), (std::vector<Json>{{{"doc", "{\"loss\":0.5}"}}}));
    EXPECT_EQ(journal.rows("SELECT objective FROM update_step"), (std::vector<Json>{{{"objective", 0.25}}}));
}

TEST_F(StoreTest, ARunThatDidNothingIsReplaced) {
    { fresh().begin("x", {}); }
    Journal journal = fresh();
    EXPECT_EQ(journal.begin("y", {}), 1);
}

}  // namespace
}  // namespace hone
