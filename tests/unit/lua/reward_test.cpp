// What was optimised is what is recorded: rewards, each change of them and advantages of every member, in the journal.
#include <gtest/gtest.h>
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include "base/paths.hpp"
#include "base/progress.hpp"
#include "error_text.hpp"
#include "lua/host.hpp"
#include "store/journal.hpp"
#include "store/sqlite.hpp"
#include "test_folders.hpp"

namespace hone {
namespace {

const char* const setting = R"lua(
local hone, shaping = require "hone", require "hone.shaping"
local run = hone.run { name = "rewards", seed = 7 }
local policy, prompt = run:policy("bigram"), run:prompt("compact")
local judge = run:judge { verifier = run:verifier("fake"), timer = run:timer("virtual"), reference = run:reference("lua"), seed = "7" }
local suite = run:suite("fake", { only = { "square", "axpy" } })
local corpus = run:collect { teacher = run:policy("template"), suite = suite, judge = judge, trials = 12, keep = 6 }
run:sft { policy = policy, prompt = prompt, corpus = corpus, epochs = 6, batch = 4, lr = 0.5, warm_up = 1, weight_decay = 0.0 }
local function reinforce(shape, options)
    local o = { policy = policy, prompt = prompt, suite = suite, judge = judge, steps = 2, group = 8, lr = 0.2, max_tokens = 16, stage = "rl" }
    for key, value in pairs(options or {}) do o[key] = value end
    o.shape = shape
    run:contrastive_rl(o)
end
)lua";

class Rewards : public ::testing::Test {
protected:
    Rewards() : before_(fs::current_path()) {
        char path[] = "/tmp/hone_rewards_XXXXXX";
        fs::current_path(folder_ = mkdtemp(path));
        Progress::set_quiet(true);
    }
    ~Rewards() override {
        fs::current_path(before_);
        fs::remove_all(folder_);
    }

    static void play(const std::string& script) {
        Session session;
        session.script_path = "own.lua";
        session.script_text = setting + script;
        ASSERT_EQ(run_script(std::move(session)), 0);
    }
    // What a resumed run of another script is told, without its place.
    static std::string refusal(const std::string& script) {
        Session session;
        session.script_path = "own.lua";
        session.script_text = setting + script;
        session.resume = true;
        const std::string text = error_text([&] { run_script(std::move(session)); });
        const std::size_t from = text.find("operation "), to = text.find("; since then own.lua changed");
        return from == std::string::npos || to == std::string::npos ? text : text.substr(from, to - from);
    }
    // Of a stage: what the journal says of its members, with the texts of their answers.
    static std::vector<Json> members(const std::string& stage) {
        return Journal::read("rewards").rows(
            "SELECT v.op, v.grp, v.passed, v.log_speedup_lower, v.noise, reward_raw AS raw, reward_changes AS changes, "
            "reward AS "
            "value, advantage, body AS text FROM v_candidate v JOIN answer a USING (op, grp, member) LEFT JOIN text ON "
            "sha256 = a.text WHERE stage = ? ORDER BY 1, 2, member",
            {stage});
    }
    // As shaper.log-speedup gives it.
    static double certain(const Json& member) {
        if (member["passed"] == 0) return -2.5;
        return std::clamp(member["log_speedup_lower"].get<double>() - member["noise"].get<double>(), -2.0, 3.0);
    }
    using Group = std::pair<std::int64_t, int>;
    static std::map<Group, std::vector<Json>> groups(const std::vector<Json>& members) {
        std::map<Group, std::vector<Json>> all;
        for (const Json& member : members) all[{member["op"], member["grp"]}].push_back(member);
        return all;
    }
    // By the preset "hone": the value less the group's mean; none where all are equal.
    static int expect_advantages(const std::vector<Json>& members) {
        int compared = 0;
        for (const auto& [_, group] : groups(members)) {
            double sum = 0;
            bool equal = true;
            for (const Json& one : group) sum += one["value"].get<double>(), equal &= one["value"] == group[0]["value"];
            for (const Json& one : group) {
                if (equal) {
                    EXPECT_TRUE(one["advantage"].is_null()) << one;
                    continue;
                }
                EXPECT_NEAR(one["advantage"].get<double>(),
                            one["value"].get<double>() - sum / static_cast<double>(group.size()), 1e-9);
                ++compared;
            }
        }
        return compared;
    }

private:
    fs::path before_, folder_;
};

TEST_F(Rewards, EachChangeOfARewardIsRecorded) {
    play(R"lua(
reinforce(function(group)
    local rewards = shaping.rewards(shaping.smoothed(run:shaper "log-speedup"), group, run)
    for i, reward in ipairs(rewards) do rewards[i] = reward - 0.25 * #group.members[i].text end
    return rewards
end))lua");
    const std::vector<Json> all = members("rl");
    ASSERT_EQ(all.size(), 2u * 2 * 8);
    int smoothed = 0;
    for (const Json& one : all) {
        EXPECT_NEAR(one["raw"].get<double>(), certain(one), 1e-12) << one;
        const Json changes = Json::parse(one["changes"].get<std::string>());
        double before = one["raw"];
        if (changes.size() == 2) {
            EXPECT_EQ(changes[0]["name"], "smoothed");
            before = changes[0]["value"];
            ++smoothed;
        } else {
            EXPECT_EQ(one["passed"], 0) << "failures are not smoothed";
        }
        EXPECT_EQ(changes.back()["name"], "own.lua:16");
        EXPECT_EQ(changes.back()["value"], one["value"]);
        const auto length = static_cast<double>(one["text"].get<std::string>().size());
        EXPECT_NEAR(one["value"].get<double>(), before - 0.25 * length, 1e-12);
    }
    EXPECT_GT(smoothed, 0);
    EXPECT_GT(expect_advantages(all), 0);
}

TEST_F(Rewards, WithoutAShapeThereAreRewardsToo) {
    play("reinforce()");
    const std::vector<Json> all = members("rl");
    ASSERT_EQ(all.size(), 2u * 2 * 8);
    for (const Json& one : all) {
        EXPECT_EQ(one["changes"], "[]");
        EXPECT_EQ(one["value"], one["raw"]);
        EXPECT_NEAR(one["value"].get<double>(), certain(one), 1e-12);
    }
    EXPECT_GT(expect_advantages(all), 0);
}

TEST_F(Rewards, AFunctionWithoutAShaperIsRecorded) {
    play(R"lua(
reinforce(function(group)
    local rewards = {}
    for i, member in ipairs(group.members) do rewards[i] = i > 1 and #member.text end
    return rewards
end, { preset = "reinforce" }))lua");
    const Json rows = Journal::read("rewards").rows(
        "SELECT v.member, reward, reward_raw, advantage, body FROM v_candidate v JOIN answer a USING (op, grp, member) "
        "LEFT JOIN text ON sha256 = a.text WHERE stage = 'rl'");
    ASSERT_EQ(rows.size(), 2u * 2 * 8);
    for (const Json& row : rows) {
        const Json wanted =
            row["member"] == 0 ? Json() : Json(static_cast<double>(row["body"].get<std::string>().size()));
        for (const char* key : {"reward", "reward_raw", "advantage"}) EXPECT_EQ(row[key], wanted) << row;
    }
}

TEST_F(Rewards, AShaperThatIsAPluginReadsTheAnswer) {
    setenv("HONE_PLUGIN_PATH", HONE_TEST_FIXTURE_DIR "/short", 1);
    play("reinforce(run:shaper \"short\")");
    unsetenv("HONE_PLUGIN_PATH");
    const Json rows = Journal::read("rewards").rows(
        "SELECT reward_raw, reward_reason, log_speedup_lower, coalesce(code_bytes, 0) AS code, v.tokens_out, v.finish, "
        "body FROM "
        "v_candidate v JOIN answer a USING (op, grp, member) LEFT JOIN text ON sha256 = a.text WHERE stage = 'rl'");
    ASSERT_EQ(rows.size(), 2u * 2 * 8);
    int programs = 0;
    for (const Json& row : rows) {
        const double speed = row["log_speedup_lower"].is_null() ? -2.5 : row["log_speedup_lower"].get<double>();
        const auto text = static_cast<double>(row["body"].get<std::string>().size());
        EXPECT_NEAR(row["reward_raw"].get<double>(),
                    speed - 0.01 * row["code"].get<double>() - 0.1 * text - row["tokens_out"].get<double>(), 1e-9);
        EXPECT_EQ(row["reward_reason"], row["finish"]);
        programs += row["code"] > 0;
    }
    EXPECT_GT(programs, 0);
}

TEST_F(Rewards, SelfSupervisionRecordsWhatItLearnsFrom) {
    play(R"lua(
run:self_supervised { policy = policy, prompt = prompt, suite = suite, judge = judge, rounds = 1, group = 12, cap = 1, temperature = 0.3, batch = 4, lr = 0.2,
    max_tokens = 16, weight_decay = 0.0, replay = 0.0 })lua");
    const std::vector<Json> all = members("self-supervised");
    ASSERT_EQ(all.size(), 2u * 2 * 12);
    double learnt = 0, capped = 0;
    for (const Json& one : all) {
        EXPECT_EQ(one["raw"], one["passed"]);
        EXPECT_EQ(one["advantage"], one["value"]);
        const bool cut = one["raw"] != one["value"];
        EXPECT_EQ(one["changes"], cut ? R"([{"name":"cap","value":0}])" : "[]");
        capped += cut;
        learnt += one["advantage"].get<double>();
    }
    const Json step = Json::parse(Journal::read("rewards")
                                      .rows("SELECT doc FROM event WHERE doc ->> '$.learnt_from' IS NOT NULL")
                                      .at(0)["doc"]
                                      .get<std::string>());
    EXPECT_EQ(step["learnt_from"], learnt);
    EXPECT_GT(learnt, 0);
    EXPECT_GT(capped, 0) << "some programs come more than once";
}

// Two arms in one run, each with a branch of the archive: no prompt shows a program of the other arm.
TEST_F(Rewards, AnArmsArchiveHoldsNothingOfAnotherArm) {
    play(R"lua(
policy:save(run.folder .. "/sft")
local known = run.archive:branch()
for _, arm in ipairs { "first", "second" } do
    local archive = known:branch()
    policy:load(run.folder .. "/sft")
    run:self_supervised { policy = policy, prompt = prompt, suite = suite, judge = judge, rounds = 2, group = 8, batch = 4, lr = 0.2,
        max_tokens = 16, weight_decay = 0.0, exemplars = "random", archive = archive, stage = arm .. " alone" }
    reinforce(nil, { steps = 8, exemplars = "random", archive = archive, stage = arm })
    run:evaluate { policy = policy, prompt = prompt, suite = suite, judge = judge, row = arm .. " row", exemplars = "random", archive = archive,
        max_tokens = 16 }
end)lua");
    const Journal journal = Journal::read("rewards");
    const char* const found_by_others = R"sql(
SELECT count(*) AS n FROM prompt p, json_each(p.doc, '$.exemplars') shown WHERE p.stage LIKE ?1 || '%' AND NOT EXISTS (
  SELECT 1 FROM judgement j JOIN prompt q USING (op, grp) WHERE j.hash = shown.value AND j.passed AND (q.stage = 'collect' OR q.stage LIKE ?1 || '%')))sql";
    const char* const own = R"sql(
SELECT count(*) AS n FROM prompt p, json_each(p.doc, '$.exemplars') shown WHERE p.stage LIKE ?1 || '%' AND NOT EXISTS (
  SELECT 1 FROM judgement j JOIN prompt q USING (op, grp) WHERE j.hash = shown.value AND j.passed AND q.stage = 'collect'))sql";
    for (const char* arm : {"first", "second"}) {
        EXPECT_EQ(journal.rows(found_by_others, {arm}).at(0)["n"], 0) << arm;
        EXPECT_GT(journal.rows(own, {arm}).at(0)["n"].get<int>(), 0) << arm << " shows what it found itself";
    }
}

// Two objectives in one run: an edited script is told, not mixed in.
TEST_F(Rewards, AResumedRunMustHaveTheRecordedRewards) {
    const auto with = [](const std::string& reward, const std::string& options) {
        return "reinforce(run:shaper(function(j) return " + reward + " end), { " + options + " })";
    };
    const std::string plain = "j.passed and j.log_speedup.lower or -2.5";
    play(with(plain, ""));
    // of each member the reward is compared before the advantage, which any reward of its group changes
    const std::string changed = "(rollout) was recorded with another ";
    for (const std::string reward :
         {"j.passed and -j.log_speedup.lower or -2.5", "j.passed and j.log_speedup.lower or 100"})
        EXPECT_NE(refusal(with(reward, "")).find(changed), std::string::npos) << reward;
    EXPECT_NE(refusal(with(plain, "preset = 'grpo'")).find(changed + "advantage of member "), std::string::npos);
    EXPECT_NE(refusal(with(plain, "regulariser = 5.0"))
                  .find("(learn) was recorded with another value of \"objective.regulariser\""),
              std::string::npos);
    Progress::set_quiet(false);
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(refusal("-- moved\n" + with(plain, "")), "(no error)");
    EXPECT_NE(::testing::internal::GetCapturedStderr().find("the script has changed since the run began"),
              std::string::npos);
}

// A corpus of two teachers under one name.
TEST_F(Rewards, AResumedRunMustHaveTheRecordedFunctionAsPolicy) {
    const auto with = [](const std::string& answer) {
        return "local function own(request)\n    return " + answer +
               "\nend\nrun:collect { teacher = run:policy(own), suite = suite, judge = judge, prompt = prompt, "
               "trials = 2, keep = 2, stage = 'own' }";
    };
    play(with("'3 1 4'"));
    EXPECT_EQ(refusal("-- moved\n" + with("'3 1 4'")), "(no error)");
    const std::string other = "local first = 'N '\nlocal function helper() return first .. '1 4' end\n";
    const auto by_helper = [&](const std::string& first) {
        std::string script = other;
        return script.replace(script.find("N"), 1, first) + with("helper()");
    };
    fs::remove_all("runs");
    play(by_helper("3"));
    EXPECT_EQ(refusal(by_helper("3")), "(no error)");
    EXPECT_NE(refusal(by_helper("4")).find("another function as policy, or another value that it uses"),
              std::string::npos);
    fs::remove_all("runs");
    play(with("'3 1 4'"));
    const std::string told = refusal(with("'4 1 3'"));
    EXPECT_NE(told.find("(rollout) was recorded with another function as policy, "), std::string::npos) << told;
}

// What an operation's key has the hash of is told in words, by what the journal holds beside it.
TEST_F(Rewards, ARefusalNamesThePromptThatChanged) {
    const auto with = [](const std::string& prompts) {
        return "local function own() return '3 1 4' end\nrun:rollout { policy = run:policy(own), judge = judge, "
               "prompts = { " +
               prompts + " } }";
    };
    const std::string first = "{ task = suite[1], messages = { 'a\\nb', fenced = false } }";
    play(with(first));
    const auto told = [&](const std::string& prompts) {
        const std::string text = refusal(with(prompts)), begins = " was recorded with ";
        return text.substr(text.find(begins) + begins.size());
    };
    EXPECT_EQ(told("{ task = suite[1], messages = { 'a\\nc', fenced = false } }"),
              "another text of message 1 of prompt 1 (task \"axpy\"), line 2: \"b\", now \"c\"");
    EXPECT_EQ(told("{ task = suite[2], messages = { 'a\\nb', fenced = false } }"),
              "another task of prompt 1: \"axpy\", now \"square\"");
    EXPECT_EQ(told(first + ", " + first), "another number of prompts: 1, now 2");
    EXPECT_EQ(told("{ task = suite[1], messages = { 'a\\nb', 'more', fenced = false } }"),
              "another number of messages of prompt 1 (task \"axpy\"): 1, now 2");
}

// Messages may hide which programs they show, and the archive shows other ones next time.
TEST_F(Rewards, OtherExemplarsAreAnotherPrompt) {
    const std::string rollout = R"lua(
local function own() return '3 1 4' end
local shown = { hash = "HASH", code = "3 1 4", language = "fake", log_speedup = { estimate = 0.1 } }
run:rollout { policy = run:policy(own), judge = judge, prompts = { { task = suite[1], messages = "x", exemplars = { shown } } } }
)lua";
    const auto showing = [&](const std::string& hash) {
        std::string script = rollout;
        return script.replace(script.find("HASH"), 4, hash);
    };
    play(showing("aa"));
    EXPECT_NE(
        refusal(showing("bb")).find("another list of exemplars of prompt 1 (task \"axpy\"): [\"aa\"], now [\"bb\"]"),
        std::string::npos)
        << refusal(showing("bb"));
}

// A script that keeps its best weights in one folder: other weights lie there when the run is resumed.
TEST_F(Rewards, WeightsThatChangedSinceALoadAreRefused) {
    const std::string script = "policy:save('best')\npolicy:load('best')\n";
    const auto no_checkpoint = [] {
        Database("runs/rewards/journal.sqlite", Database::Mode::write).run("DELETE FROM checkpoint");
    };
    play(script);
    write_file("best/other", "weights");
    EXPECT_EQ(refusal(script), "(no error)") << "a checkpoint holds what was loaded";
    no_checkpoint();
    EXPECT_NE(refusal(script).find("policy:load: best holds other files than when operation"), std::string::npos)
        << refusal(script);
    fs::remove("best/other");
    EXPECT_EQ(refusal(script), "(no error)");
}

TEST_F(Rewards, ARefusalNamesTheTaskThatChanged) {
    const std::string square = read_file(HONE_TEST_SOURCE_DIR "/scripts/suites/fake/square.lua");
    const std::string script =
        "run:rollout { policy = run:policy(function() return '3 1 4' end), judge = judge, prompts = { { task = "
        "run:suite('edited')[1], messages = 'x' } } }";
    fs::create_directory("edited");
    write_file("edited/square.lua", square);
    play(script);
    std::string other = square;
    other.replace(other.find("  bytes"), 0, "  terms = 3,\n");
    write_file("edited/square.lua", other);
    EXPECT_NE(refusal(script).find("another definition of task \"square\": another value of \"source\", line 9: \"  "
                                   "bytes = \\\"8*N\\\",\", now \"  terms = 3,\""),
              std::string::npos)
        << refusal(script);
    EXPECT_NE(
        refusal(script).find("; neither the script, its modules nor its settings changed since then, but "
                             "something that they name did: a task, a policy's files; undo that, or begin another run"),
        std::string::npos);
}

// Otherwise a run that is interrupted there goes on from other weights than one that is not.
TEST_F(Rewards, AnUpdateWhoseWeightsFailedIsNoUpdate) {
    play(R"lua(
local sequences = { { ids = { 1, 2, 3 } } }
local function step(weights) return policy:learn { sequences = sequences, lr = 0.5, weigh = function() return weights end } end
local function logp() return policy:score(sequences)[1].logp[2] end
local version, before = step({ 0, 1, 1 }).version, logp()
for _, wrong in ipairs { { 0, 1 }, { 0, 1, 0 / 0 }, false } do assert(not pcall(step, wrong)) end
assert(logp() == before, logp() - before)
assert(step({ 0, 1, 1 }).version == version + 1)
assert(logp() > before)
)lua");
}

// `#` of a list with a hole may be any number: members behind it would learn nothing, and nobody would know.
TEST_F(Rewards, AShapeThatGivesNilIsAnError) {
    play(R"lua(
local function refused(shape, words)
    local fine, said = pcall(reinforce, shape, { steps = 1 })
    assert(not fine and said:find(words, 1, true), said)
end
refused(function(group)
    local rewards = {}
    for i, member in ipairs(group.members) do rewards[i] = 1 end
    rewards[2] = nil
    return rewards
end, "a shape gave nil for member 2 of a group; give false to leave an answer out")
refused(function(group)
    local rewards = {}
    for i, member in ipairs(group.members) do rewards[i] = "1" end
    return rewards
end, "a shape gave a string for member 1 of a group; give a number, or false to leave it out")
refused(function(group) return { 1 } end, "a shape is a function (group, run) that returns a list")
)lua");
}

TEST_F(Rewards, ARepeatedUpdateMustHaveTheRecordedObjective) {
    const auto learning = [](const std::string& weight) {
        return "for k = 1, 3 do policy:learn { sequences = { { ids = { 1, 2, 3 } } }, lr = 0.1, weigh = function() "
               "return { 0, " +
               weight + ", 0.5 } end } end";
    };
    play(learning("1"));
    Database("runs/rewards/journal.sqlite", Database::Mode::write).run("DELETE FROM checkpoint");
    EXPECT_EQ(refusal(learning("1")), "(no error)");
    Database("runs/rewards/journal.sqlite", Database::Mode::write).run("DELETE FROM checkpoint");
    EXPECT_NE(refusal(learning("-1")).find("(learn) was recorded with another objective: -"), std::string::npos);
}

}  // namespace
}  // namespace hone
