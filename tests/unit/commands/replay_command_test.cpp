// Evidence: what `hone judge` keeps, `hone show` and `hone replay` find; a score belongs to the hashes of what was
// judged.
#include <gtest/gtest.h>
#include <unistd.h>
#include "base/host.hpp"
#include "base/paths.hpp"
#include "commands/command.hpp"
#include "domain/candidate.hpp"
#include "error_text.hpp"
#include "store/bundles.hpp"
#include "store/sqlite.hpp"
#include "test_folders.hpp"

namespace hone {
namespace {

struct Ran {
    int code;
    std::string out, err;
};

Ran run(const std::vector<std::string>& words) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = run_program(words);
    return {code, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

class ReplayCommand : public testing::Test {
protected:
    ReplayCommand() : before_(fs::current_path()) {
        char path[] = "/tmp/hone_replay_XXXXXX";
        fs::remove_all(bundle_folder());
        fs::current_path(folder_ = mkdtemp(path));
    }
    ~ReplayCommand() override {
        fs::current_path(before_);
        fs::remove_all(folder_);
    }
    // The id under which the judgement of a program for fake/axpy is kept.
    static std::string judged(const std::string& program, std::vector<std::string> more = {}) {
        write_file("program.txt", program);
        more.insert(more.begin(), {"judge", "fake/axpy", "program.txt", "--json"});
        return Json::parse(run(more).out).at("id");
    }
    static std::string file_of(const std::string& id) { return (bundle_folder() / (id + ".json")).string(); }

private:
    fs::path before_, folder_;
};

TEST_F(ReplayCommand, WhatWasJudgedIsKeptWhole) {
    write_file("program.txt", "3 1 4");
    const Ran judged = run({"judge", "fake/axpy", "program.txt"});
    const std::string id = bundle_ids().at(0);
    EXPECT_NE(judged.out.find("  evidence  hone show " + id + "; again: hone replay " + id + "\n"), std::string::npos)
        << judged.out;
    const Json evidence = read_bundle(file_of(id));
    EXPECT_EQ(evidence["schema"], "hone.evidence/1");
    EXPECT_EQ(evidence["candidate"]["code"], "3 1 4");
    EXPECT_EQ(evidence["files"]["program"], fs::absolute("program.txt").string());
    EXPECT_EQ(evidence["task"]["address"], "fake/axpy");
    EXPECT_EQ(evidence["task"]["doc"]["hash"], evidence["judgement"]["task_hash"]);
    EXPECT_EQ(evidence["host"]["cpu"], cpu_model());
    EXPECT_EQ(evidence["version"], HONE_VERSION);
    EXPECT_EQ(evidence["judge"]["options"]["precision"], 0.01);
    for (const char* part : {"verifier", "timer", "reference"})
        EXPECT_EQ(evidence["judgement"][part]["file_hash"].get<std::string>().size(), 64u);
    EXPECT_EQ(evidence["judgement"]["keys"].size(), 1u);
    EXPECT_FALSE(evidence["judgement"]["samples"]["candidate"].empty());
    const std::string shown = run({"show", id.substr(0, 6)}).out;
    EXPECT_EQ(shown.substr(0, shown.find("\ncandidate")),
              id + "  PASSED  faster 2.000x [2.000, 2.000] against reference\ntask axpy, hone judge " +
                  fs::absolute("program.txt").string() + ", " + evidence["made"].get<std::string>());
    EXPECT_NE(shown.find("\n--- settings\n  verifier.fake"), std::string::npos) << shown;
    EXPECT_NE(shown.find("\n  timer.virtual"), std::string::npos) << shown;
    EXPECT_NE(shown.find("\n  judge benches=1 "), std::string::npos) << shown;
    EXPECT_NE(shown.find("\n  hone " HONE_VERSION "\n"), std::string::npos) << shown;
    EXPECT_EQ(Json::parse(run({"show", id, "--json"}).out), evidence);
}

TEST_F(ReplayCommand, AgreesWithItself) {
    const std::string id = judged("3 1 4");
    const Ran again = run({"replay", id.substr(0, 8)});
    EXPECT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(again.out.substr(0, 145),
              "            recorded                   now\n"
              "  verdict   PASSED                     PASSED\n"
              "  speed-up  2x [2, 2]                  2x [2, 2]\n  time ");
    EXPECT_NE(again.out.find(
                  "agrees: the same verdict, and the speed-ups are the same within their intervals or the noise\n"),
              std::string::npos);
    const Json doc = Json::parse(run({"replay", file_of(id), "--json"}).out);
    EXPECT_EQ(doc["schema"], "hone.replay/1");
    EXPECT_EQ(doc["agrees"], true);
    EXPECT_EQ(doc["points"]["speedup"]["recorded"]["estimate"], 2.0);
    EXPECT_EQ(doc["judgement"]["keys"], read_bundle(file_of(id))["judgement"]["keys"]);
}

TEST_F(ReplayCommand, AShapeThatTheFileDoesNotListIsRepeated) {
    const std::string id = judged("3 1 4", {"--shape", "N=1024"});
    const Json task = read_bundle(file_of(id))["task"];
    EXPECT_EQ(task["address"], "fake/axpy");
    EXPECT_EQ(task["doc"]["shape"], (Json{{"N", 1024}}));
    const Ran again = run({"replay", id, "--json"});
    EXPECT_EQ(again.code, 0) << again.err;
    const Json doc = Json::parse(again.out);
    EXPECT_EQ(doc["changed"], Json::array());
    EXPECT_EQ(doc["judgement"]["sizes"], (Json{{"N", 1024}}));
}

TEST_F(ReplayCommand, ARejectionRepeatsWithItsReason) {
    const std::string id = judged("3 1 4 outside");
    const Ran again = run({"replay", id});
    EXPECT_EQ(again.code, 0) << again.out << again.err;
    EXPECT_NE(again.out.find("  reason    it writes outside output \"o\"\n"), std::string::npos) << again.out;
    EXPECT_NE(again.out.find("agrees: the same verdict for the same reason\n"), std::string::npos);
}

TEST_F(ReplayCommand, AnEditedProgramHasNoClaimToTheScore) {
    const std::string id = judged("3 1 4");
    write_file("program.txt", "3 1 5");
    const Ran refused = run({"replay", id});
    EXPECT_EQ(refused.code, 3);
    const std::string then = read_bundle(file_of(id))["judgement"]["hash"].get<std::string>().substr(0, 12);
    const std::string now = make_candidate("axpy", "fake", "3 1 5").hash.substr(0, 12);
    const std::string file = fs::absolute("program.txt").string();
    EXPECT_EQ(refused.err,
              "hone: " + id + ": the score no longer belongs to what is here: " + file + " was " + then + " and is " +
                  now + "; judge anew; --anyway repeats the recorded program and task with the parts that are here\n");
    EXPECT_EQ(run({"replay", id, "--anyway"}).code, 0) << "the recorded program is judged, not the file's";
    fs::remove("program.txt");
    EXPECT_EQ(run({"replay", id}).code, 0) << "a file that is gone changes nothing";
}

TEST_F(ReplayCommand, AnEditedTaskHasNoClaimToTheScore) {
    fs::create_directory("own");
    const std::string text = read_file(HONE_TEST_SOURCE_DIR "/scripts/suites/fake/axpy.lua");
    write_file("own/axpy.lua", text);
    write_file("program.txt", "3 1 4");
    const std::string id = Json::parse(run({"judge", "own/axpy.lua", "program.txt", "--json"}).out).at("id");
    EXPECT_EQ(run({"replay", id}).code, 0);
    write_file("own/axpy.lua", text + "-- changed\n");
    const Ran refused = run({"replay", id});
    EXPECT_EQ(refused.code, 3);
    EXPECT_NE(refused.err.find("the task " + fs::absolute("own/axpy.lua").string() + " was "), std::string::npos)
        << refused.err;
    EXPECT_EQ(run({"replay", id, "--anyway"}).code, 0) << "the recorded task serves";
}

TEST_F(ReplayCommand, AnotherPluginHasNoClaimToTheScore) {
    Json evidence = read_bundle(file_of(judged("3 1 4")));
    evidence["judgement"]["verifier"]["file_hash"] = std::string(64, '0');
    const std::string id = keep_bundle(evidence)["id"];
    const Ran refused = run({"replay", id});
    EXPECT_EQ(refused.code, 3);
    EXPECT_NE(refused.err.find("the plugin verifier.fake was 000000000000 and is "), std::string::npos) << refused.err;
}

TEST_F(ReplayCommand, AnotherFindingIsADifference) {
    Json evidence = read_bundle(file_of(judged("3 1 4")));
    evidence["judgement"]["speedup"].update({{"estimate", 3.0}, {"lower", 2.9}, {"upper", 3.1}});
    const Ran other = run({"replay", keep_bundle(evidence)["id"]});
    EXPECT_EQ(other.code, 1);
    EXPECT_NE(other.out.find("differs: the speed-ups' intervals lie apart by more than the noise\n"), std::string::npos)
        << other.out;
    evidence["judgement"]["verdict"] = "TIMEOUT";
    const Ran verdict = run({"replay", keep_bundle(evidence)["id"]});
    EXPECT_EQ(verdict.code, 1);
    EXPECT_NE(verdict.out.find("differs: another verdict\n"), std::string::npos) << verdict.out;
}

TEST_F(ReplayCommand, TheRecordsNoiseExcusesNothing) {
    Json evidence = read_bundle(file_of(judged("3 1 4")));
    evidence["judgement"]["noise"] = 9.0;
    evidence["judgement"]["speedup"].update({{"estimate", 50.0}, {"lower", 49.0}, {"upper", 51.0}});
    const Ran other = run({"replay", keep_bundle(evidence)["id"]});
    EXPECT_EQ(other.code, 1);
    EXPECT_NE(other.out.find("differs: the speed-ups' intervals lie apart by more than the noise\n"), std::string::npos)
        << other.out;
}

TEST_F(ReplayCommand, WithoutADefenceNoScoreIsConfirmed) {
    const std::string id = judged("3 1 4", {"--set", "judge.without=red-zones", "--set", "judge.pairs=64"});
    const Ran open = run({"replay", id});
    EXPECT_EQ(open.code, 1) << open.err;
    EXPECT_NE(open.out.find("pairs=64 "), std::string::npos) << open.out;
    EXPECT_NE(open.out.find("\nno score: its record has it judged without the defences red-zones\nagrees: "),
              std::string::npos)
        << open.out;
    Json evidence = read_bundle(file_of(id));
    evidence["judgement"]["defences_off"] = Json::array();
    const Ran hidden = run({"replay", keep_bundle(evidence)["id"]});
    EXPECT_EQ(hidden.code, 1);
    EXPECT_NE(hidden.out.find("differs: another set of defences\n"), std::string::npos) << hidden.out;
}

TEST_F(ReplayCommand, WithPlantedTimeNoScoreIsConfirmed) {
    Json evidence = read_bundle(file_of(judged("3 1 4")));
    evidence["judge"]["options"]["planted"] = 0.5;
    const Ran planted = run({"replay", keep_bundle(evidence)["id"]});
    EXPECT_EQ(planted.code, 1);
    EXPECT_NE(
        planted.out.find("\nno score: its record has it judged with planted time\ndiffers: another set of defences\n"),
        std::string::npos)
        << planted.out;
}

TEST_F(ReplayCommand, TheOtherProgramIsPartOfTheEvidence) {
    write_file("other.txt", "3 3 4");
    const std::string id = judged("3 1 4", {"--against", "other.txt"});
    fs::remove("other.txt");
    const Ran again = run({"replay", id});
    EXPECT_EQ(again.code, 0) << again.out << again.err;
    EXPECT_NE(again.out.find("1.5x [1.5, 1.5]"), std::string::npos) << again.out;
}

TEST_F(ReplayCommand, AnEditedRecordIsFoundOut) {
    const std::string file = file_of(judged("3 1 4"));
    std::string text = read_file(file);
    write_file(file, text.replace(text.find("\"PASSED\""), 8, "\"passed\""));
    EXPECT_EQ(error_text([&] { read_bundle(file); }),
              file + ": was edited after it was written: its content no longer gives its id; judge the program anew");
    Json forged = read_bundle(file_of(judged("3 1 4")));
    forged["run"] = "x";
    forged["judgement"]["speedup"].update({{"estimate", 50.0}, {"lower", 49.0}, {"upper", 51.0}});
    write_file("forged.json", forged.dump());
    const Ran refused = run({"replay", "forged.json"});
    EXPECT_EQ(refused.code, 3);
    EXPECT_EQ(refused.err,
              "hone: forged.json: was edited after it was written: its content no longer gives its id; judge the "
              "program anew\n");
    write_file("x.json", "{}");
    EXPECT_EQ(error_text([&] { find_evidence("x.json"); }),
              "x.json: is no evidence of a judgement; a file of `hone judge` or of `hone show ID --json` is one "
              "(hone.evidence/1)");
}

TEST_F(ReplayCommand, AnUnknownIdNamesTheNearest) {
    const std::string id = judged("3 1 4");
    std::string wrong = id.substr(0, 8);
    wrong[3] = wrong[3] == 'f' ? '0' : 'f';
    const std::string cure =
        "; `hone judge`, `hone best` and v_candidate of a journal give ids; --run names a run's folder";
    const std::string cause =
        "no judgement and no candidate begins so among what `hone judge` kept and in the runs below runs/";
    EXPECT_EQ(error_text([&] { find_evidence(wrong); }),
              wrong + ": " + cause + "; did you mean \"" + id + "\"?" + cure);
    EXPECT_EQ(error_text([&] { find_evidence("zzzzzzzz"); }), "zzzzzzzz: " + cause + cure);
}

TEST_F(ReplayCommand, WhatARunJudgedIsRepeatedByTheSameCommand) {
    write_file("one.lua", R"lua(
        local hone = require "hone"
        local run = hone.run { name = "one", seed = 1 }
        local judge = run:judge { verifier = run:verifier("fake"), timer = run:timer("virtual"), reference = run:reference("lua") }
        local task = run:suite("fake", { only = { "axpy" } })[1]
        judge:submit(task, { code = "3 1 4" })
        judge:submit(task, { code = "3 1 4" }, { against = { code = "3 3 4" } })
        while judge:collect() do end
        run:rollout { policy = run:policy(function() return "3 2 4" end), judge = judge, prompts = {
            { task = task, messages = { { role = "user", text = "x" }, fenced = false } } } })lua");
    const Ran script = run({"run", "one.lua"});
    ASSERT_EQ(script.code, 0) << script.err;
    const Journal journal = Journal::read("one");
    const auto ids = journal.rows("SELECT id, op FROM judgement ORDER BY op");
    ASSERT_EQ(ids.size(), 3u);
    for (const Json& row : ids) {
        const Ran again = run({"replay", row["id"], "--run", "one"});
        EXPECT_EQ(again.code, 0) << again.out << again.err;
    }
    const Json exported = find_evidence(ids[1]["id"]);
    EXPECT_EQ(exported["against"]["code"], "3 3 4");
    write_file("exported.json", exported.dump());
    EXPECT_EQ(run({"replay", "exported.json"}).code, 0);
    Json forged = exported;
    forged["judgement"]["reason"] = "x";
    write_file("exported.json", forged.dump());
    EXPECT_EQ(run({"replay", "exported.json"}).code, 3);
}

TEST_F(ReplayCommand, ATaskBesideTheScriptThatHasChangedIsTold) {
    const auto task = [](const char* statement) {
        fs::create_directories("suites/mine");
        write_file("suites/mine/t.lua",
                   std::string(R"lua(return { name = "t", spec = "axpy {N}", statement = ")lua") + statement + R"lua(",
            inputs = { { name = "a", shape = { "N" } }, { name = "b", shape = { "N" } } },
            outputs = { { name = "o", shape = { "N" } } }, shapes = { { N = 256 } }, hidden = { { N = 37 } },
            bytes = "12*N", verifier = "fake",
            device = { op = "axpy", code = 3, best = { 1, 4 }, seconds = 1e-4, reference = 2e-4 },
            reference = function(a, b) return array.map(function(x, y) return 2 * x + y end, a, b) end })lua");
    };
    task("o = 2 a + b.");
    write_file("own.lua", R"lua(
        local run = require "hone".run { name = "own", seed = 1 }
        local judge = run:judge { verifier = run:verifier("fake"), timer = run:timer("virtual"), reference = run:reference("lua") }
        judge:submit(run:suite("mine")[1], { code = "3 1 4" })
        while judge:collect() do end)lua");
    ASSERT_EQ(run({"run", "own.lua"}).code, 0);
    const std::string id = Journal::read("own").rows("SELECT id FROM judgement").at(0)["id"];
    const Ran same = run({"replay", id, "--run", "own"});
    EXPECT_EQ(same.code, 0) << same.err;
    EXPECT_EQ(same.err.find("is not where it was"), std::string::npos) << same.err;
    task("o = 2 a + b, and no more.");
    const Ran other = run({"replay", id, "--run", "own"});
    EXPECT_EQ(other.code, 3);
    EXPECT_NE(other.err.find("the task mine/t was "), std::string::npos) << other.err;
}

TEST_F(ReplayCommand, ARunThatCannotBeReadHidesNoOther) {
    for (const char* name : {"fine", "old"}) {
        Journal journal = Journal::create(std::string("runs/") + name, {name, "x.lua", "", "0.1.0", 7, {}, {}});
        Judgement judgement = rejected("softmax", "", Verdict::PARSE_ERROR, "");
        judgement.id = std::string("of-") + name;
        journal.put_judgement({journal.begin("collect", {}), 0, 0}, {}, judgement);
    }
    Database(fs::path("runs/old/journal.sqlite"), Database::Mode::write).run("PRAGMA user_version = 1");
    EXPECT_EQ(find_evidence("of-fine")["run"], "fine");
    const std::string text = error_text([] { find_evidence("of-old"); });
    EXPECT_NE(
        text.find(
            "; not looked into: runs/old/journal.sqlite: written by an older hone (schema 1, this one reads 12); read "
            "it with that hone"),
        std::string::npos)
        << text;
}

TEST_F(ReplayCommand, ARecordOfAnotherVersionIsRefused) {
    Json evidence = read_bundle(file_of(judged("3 1 4")));
    evidence["judgement"].erase("suite");
    const std::string id = keep_bundle(evidence)["id"];
    const Ran refused = run({"show", id});
    EXPECT_EQ(refused.code, 3);
    EXPECT_NE(refused.err.find(id + ".json: is of another version of hone: judgement: suite: is missing"),
              std::string::npos)
        << refused.err;
}

TEST_F(ReplayCommand, WhatSaysNothingCannotBeRepeated) {
    Json evidence = read_bundle(file_of(judged("3 1 4")));
    evidence["judgement"]["verdict"] = "INFRASTRUCTURE";
    const std::string id = keep_bundle(evidence)["id"];
    const Ran refused = run({"replay", id});
    EXPECT_EQ(refused.code, 3);
    EXPECT_EQ(refused.err,
              "hone: " + id +
                  ": says nothing about the program (INFRASTRUCTURE), so there is nothing to repeat; judge it anew\n");
    EXPECT_EQ(run({"replay"}).code, 2);
}

}  // namespace
}  // namespace hone
