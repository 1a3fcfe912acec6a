// The experiments of README and examples/, with the fake device in place of the compiler and a bigram model in place of
// the transformer: they run to their end, and arms of an experiment are independent.
#include <gtest/gtest.h>
#include <unistd.h>
#include "base/paths.hpp"
#include "base/progress.hpp"
#include "lua/host.hpp"
#include "store/journal.hpp"
#include "test_folders.hpp"

namespace hone {
namespace {

class Examples : public ::testing::Test {
protected:
    Examples() : before_(fs::current_path()) {
        char path[] = "/tmp/hone_examples_XXXXXX";
        fs::current_path(folder_ = mkdtemp(path));
        Progress::set_quiet(true);
    }
    ~Examples() override {
        fs::current_path(before_);
        fs::remove_all(folder_);
    }

    static std::string source(const char* file) { return read_file(fs::path(HONE_TEST_SOURCE_DIR) / file); }
    static void replace(std::string& text, const std::string& from, const std::string& to) {
        const std::size_t at = text.find(from);
        ASSERT_NE(at, std::string::npos) << "the page has no " << from;
        text.replace(at, from.size(), to);
    }
    static void use_fake_parts(std::string& script) {
        replace(script, "run:policy(\"torch-lm\", { model = \"tiny\" })", "run:policy(\"bigram\")");
        replace(script, "run:verifier(\"cpp\")", "run:verifier(\"fake\")");
        replace(script, "run:timer(\"wall\")", "run:timer(\"virtual\")");
        replace(script, "run:reference(\"torch\")", "run:reference(\"lua\")");
        replace(script, "\"cpu-basics\"", "\"fake\"");
    }
    static void play(std::string script, const std::vector<std::string>& settings) {
        Session session;
        session.script_path = "page.lua";
        session.script_text = std::move(script);
        session.settings = ScriptSettings(settings);
        ::testing::internal::CaptureStdout();
        EXPECT_EQ(run_script(std::move(session)), 0);
        table_ = ::testing::internal::GetCapturedStdout();
    }
    static std::string table_;

private:
    fs::path before_, folder_;
};
std::string Examples::table_;

TEST_F(Examples, WaysOfSearchHaveTheSameNumberOfAnswers) {
    std::string script = source("scripts/search.lua");
    replace(script, "{ verifier = \"cpp\", timer = \"wall\" }", "{ verifier = \"fake\", timer = \"virtual\" }");
    replace(script, "run:reference(\"torch\")", "run:reference(\"lua\")");
    play(script, {"suite=fake", "tasks=axpy,square", "policy=template", "steps=8", "group=2"});
    for (const char* row : {"\nsampling          32", "\ncontrastive       32", "\nevolution         32"})
        EXPECT_NE(table_.find(row), std::string::npos) << table_;
    const Json shown = Journal::read("search").rows(
        "SELECT stage, sum(exemplars > 0) AS n FROM v_candidate WHERE stage IS NOT NULL GROUP BY stage ORDER BY stage");
    ASSERT_EQ(shown.size(), 3u);
    EXPECT_GT(shown[0]["n"], 0) << "contrastive";
    EXPECT_GT(shown[1]["n"], 0) << "evolution";
    EXPECT_EQ(shown[2], (Json{{"stage", "sampling"}, {"n", 0}}));
}

TEST_F(Examples, TheReadmesExperimentRuns) {
    std::string page = source("README.md");
    const std::size_t begin = page.find("```lua\n") + 7, end = page.find("```", begin);
    std::string script = page.substr(begin, end - begin);
    use_fake_parts(script);
    replace(script, "updates = quick and 420 or nil", "updates = quick and 42 or nil, lr = 0.5");
    play(script, {"quick=true"});
    EXPECT_NE(table_.find("\nall three "), std::string::npos) << table_;
}

// One arm's prompts show what was known before both, and what the arm itself found.
TEST_F(Examples, TheArmsOfOwnRewardAreIndependent) {
    std::string script = source("examples/own_reward.lua");
    use_fake_parts(script);
    replace(script, ", { only = { \"softmax\", \"layer_norm\", \"matmul\", \"transpose\" } }", "");
    replace(script, "updates = quick and 420 or 600", "lr = 0.5, batch = 4, updates = 42");
    replace(script, "steps = quick and 4 or 24", "steps = 12");
    play(script, {"seed=3"});
    for (const char* row : {"\nSFT ", "\ncertain part ", "\nbest guess "})
        EXPECT_NE(table_.find(row), std::string::npos) << table_;
    const Journal journal = Journal::read("own-reward");
    EXPECT_EQ(journal.info().seed, 3u);
    const char* const shown =
        "SELECT count(*) AS n FROM prompt p, json_each(p.doc, '$.exemplars') shown WHERE p.stage = ?1 AND %s EXISTS "
        "(SELECT 1 FROM judgement j JOIN prompt q USING (op, grp) WHERE j.hash = shown.value AND j.passed AND q.stage "
        "IN ('collect', ?2))";
    const auto count = [&](const char* which, const char* arm, const char* own) {
        std::string sql = shown;
        sql.replace(sql.find("%s"), 2, which);
        return journal.rows(sql, {arm, own}).at(0)["n"].get<int>();
    };
    for (const char* arm : {"best guess", "certain part"}) {
        EXPECT_EQ(count("NOT", arm, arm), 0) << arm << ": exemplars of another arm";
        EXPECT_GT(count("NOT", arm, ""), 0) << arm << ": some are its own finds";
    }
    const std::vector<Json> loads = journal.rows(
        "SELECT DISTINCT body ->> '$.folder' AS folder, count(*) AS n FROM operation JOIN text ON sha256 = key WHERE "
        "kind = 'load'");
    EXPECT_EQ(loads, (std::vector<Json>{{{"folder", "runs/own-reward/sft"}, {"n", 2}}})) << "both begin alike";
}

}  // namespace
}  // namespace hone
