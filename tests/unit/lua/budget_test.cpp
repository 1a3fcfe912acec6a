// hone.run{ budget = ... }: what a provider bills never exceeds it, whatever the network does, and a resumed run pays
// for no answer that it has.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <random>
#include "base/error.hpp"
#include "base/paths.hpp"
#include "base/process.hpp"
#include "policies/scripted_server.hpp"
#include "store/journal.hpp"
#include "store/report/report.hpp"
#include "test_folders.hpp"

namespace hone {
namespace {

constexpr int asked = 8, max_tokens = 16;
const std::string key = "sk-budget-0123456789";
const std::string script =
    "local hone = require 'hone'\n"
    "local run = hone.run { name = 'paid', seed = 1, budget = hone.settings('budget', 1.0) }\n"
    "local judge = run:judge { verifier = run:verifier('fake'), timer = run:timer('virtual'), reference = "
    "run:reference('lua'), benches = 1 }\n"
    "local task, prompts = run:suite('fake', { only = { 'axpy' } })[1], {}\n"
    "for i = 1, 8 do prompts[i] = { task = task, messages = { 'question ' .. i, fenced = false } } end\n"
    "run:rollout { policy = run:policy('http', { model = 'openai/m', concurrency = 3, tries = 3, backoff = 0.001 }), "
    "judge = judge, prompts = prompts, max_tokens = 16 }\n";

// A price, and what the server does with one request after another.
struct Bill {
    double input, output;     // US dollars a token
    std::vector<double> usd;  // billed for each
    std::vector<bool> answers;
    Json steps = Json::array();
};

Bill random_bill(std::mt19937_64& random) {
    const auto chance = [&](double share) { return std::uniform_real_distribution<>(0, 1)(random) < share; };
    Bill bill{1e-4, 1e-3, {}, {}, Json::array()};
    for (int i = 0; i < 200; ++i) {
        const int in = static_cast<int>(random() % 90), out = static_cast<int>(random() % (max_tokens + 1));
        Json body = test::completion("3 1 4");
        body["usage"] = {{"prompt_tokens", in}, {"completion_tokens", out}};
        const bool breaks = chance(0.1), fails = !breaks && chance(0.2), slow = chance(0.2);
        Json step = {{"body", body}};
        if (breaks) step["cut"] = 20;
        if (fails) step = {{"status", chance(0.5) ? 429 : 500}, {"headers", {{"retry-after-ms", "1"}}}, {"body", "no"}};
        if (slow) step["delay"] = 0.005;
        bill.steps.push_back(step);
        bill.usd.push_back(fails ? 0 : in * bill.input + out * bill.output);
        bill.answers.push_back(!fails && !breaks);
    }
    return bill;
}

class RunBudget : public ::testing::Test {
protected:
    RunBudget() : before_(fs::current_path()) {
        char path[] = "/tmp/hone_budget_XXXXXX";
        folder_ = mkdtemp(path);
        fs::current_path(folder_);
        write_file("paid.lua", script);
    }
    ~RunBudget() override {
        fs::current_path(before_);
        fs::remove_all(folder_);
    }
    // The exit code. What the run says is in the file "said".
    static int run(double budget, const std::string& base_url, bool resume) {
        SpawnPlan plan;
        plan.argv = {(program_path().parent_path() / "hone").string(), "run", "paid.lua", "--set",
                     "budget=" + std::to_string(budget)};
        if (resume) plan.argv.push_back("--resume");
        for (char** one = environ; *one; ++one) plan.environment.push_back(*one);
        plan.environment.push_back("OPENAI_API_KEY=" + key);
        plan.environment.push_back("OPENAI_BASE_URL=" + base_url);
        plan.environment.push_back("HONE_PLUGIN_PATH=" HONE_TEST_PLUGIN_DIR);
        plan.environment.push_back("HONE_SCRIPT_PATH=" HONE_TEST_SOURCE_DIR "/scripts");
        const Fd said(open("said", O_WRONLY | O_CREAT | O_TRUNC, 0600));
        plan.files = {{said.get(), 1}, {said.get(), 2}};
        int status = -1;
        Child child(plan);
        EXPECT_TRUE(child.wait(60, &status));
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    static std::string said() { return read_file("said"); }
    static Json report() { return report_json(Journal::read("paid")); }
    static double billed(const Bill& bill, std::size_t requests) {
        double usd = 0;
        for (std::size_t i = 0; i < requests; ++i) usd += bill.usd[i];
        return usd;
    }
    static long lost(const Json& report) { return report["verdicts"].value("INFRASTRUCTURE", 0L); }
    static void expect_no_key() {
        for (const auto& entry : fs::recursive_directory_iterator(".")) {
            if (!entry.is_regular_file()) continue;
            EXPECT_EQ(read_file(entry.path()).find(key), std::string::npos) << entry.path();
        }
    }
    fs::path before_, folder_;
};

// A hundred runs in four tests, which run side by side.
class RandomRunBudget : public RunBudget, public ::testing::WithParamInterface<unsigned> {};

TEST_P(RandomRunBudget, HoldsAndAResumePaysForNothingTwice) {
    write_file("hone.toml", "[provider.openai.price.m]\ninput = 100\noutput = 1000\n");
    int stopped = 0;
    for (unsigned seed = GetParam(); seed < GetParam() + 25; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937_64 random(seed);
        const Bill bill = random_bill(random);
        const double cap = 0.05 + 0.001 * static_cast<double>(random() % 150);
        fs::remove_all("runs");
        const test::ScriptedServer server(Json{{"steps", bill.steps}}.dump());
        const int code = run(cap, server.base_url(), false);
        const std::size_t sent = server.requests().size();
        const Json first = report();
        ASSERT_TRUE(code == 0 || code == 4) << said();
        EXPECT_LE(billed(bill, sent), cap);
        EXPECT_LE(first["usd"].get<double>(), cap + 1e-9);
        EXPECT_GE(first["usd"].get<double>(), billed(bill, sent) - 1e-9) << "what may have been billed counts";
        EXPECT_NEAR(first["budget"].get<double>(), cap, 1e-6);
        const bool spent = said().find("the budget is spent: $") != std::string::npos;
        stopped += spent;
        EXPECT_EQ(first["samples"] == asked, code == 0) << said();
        if (seed % 4 != 0) continue;
        ASSERT_EQ(run(1000, server.base_url(), true), 0) << said();
        long answers = 0;
        for (std::size_t i = sent; i < server.requests().size(); ++i) answers += bill.answers[i];
        // a request that fails three times is a sample without an answer
        const long without = lost(report()) - lost(first);
        EXPECT_EQ(answers + without, asked - first["samples"].get<long>()) << "only what was missing: " << said();
        EXPECT_EQ(report()["samples"], asked);
        expect_no_key();
    }
    EXPECT_GT(stopped, 5) << "else the budget was too large to be tried";
    EXPECT_LT(stopped, 24);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomRunBudget, ::testing::Values(1, 26, 51, 76));

TEST_F(RunBudget, SmallerThanOneRequestSaysSo) {
    write_file("hone.toml", "[provider.openai.price.m]\ninput = 0\noutput = 1000\n");
    const test::ScriptedServer server(R"({"text": "3 1 4"})");
    EXPECT_EQ(run(0.01, server.base_url(), false), 4);
    EXPECT_EQ(said(),
              "hone: paid.lua:6: paid: no request fits into the budget of $0.01: the next one may cost $0.02, by the "
              "length of its prompt and max_tokens; resume with a budget above that, or ask for fewer tokens "
              "(max_tokens)\nthe run is saved; go on with: hone run paid.lua --set budget=0.010000 --resume\n");
    EXPECT_EQ(server.requests().size(), 0u);
}

TEST_F(RunBudget, SaysWhatWasSpentAndHowToGoOn) {
    write_file("hone.toml", "[provider.openai.price.m]\ninput = 0\noutput = 1000\n");
    const test::ScriptedServer server(R"({"text": "3 1 4"})");
    EXPECT_EQ(run(0.02, server.base_url(), false), 4);  // an answer costs 0.005, and might cost 0.016
    EXPECT_EQ(
        said(),
        "hone: paid.lua:6: paid: the budget is spent: $0.005 of $0.02, and the next request may cost $0.02; what "
        "was answered is kept; resume with a higher budget\nthe run is saved; go on with: hone run paid.lua --set "
        "budget=0.020000 --resume\n");
    EXPECT_NE(report_text(report()).find("\ncost $0.005 of $0.02, "), std::string::npos) << report_text(report());
    EXPECT_EQ(run(1, server.base_url(), true), 0) << said();
    EXPECT_NEAR(report()["usd"].get<double>(), 0.04, 1e-9);
}

// A page that is no answer may have been billed: who reads that the budget is spent reads what spent it.
TEST_F(RunBudget, AGatewaysPageIsToldBesideTheBudgetThatItSpent) {
    write_file("hone.toml", "[provider.openai.price.m]\ninput = 0\noutput = 1000\n");
    const test::ScriptedServer server(R"({"then": {"body": "<html>log in</html>"}})");
    EXPECT_EQ(run(0.02, server.base_url(), false), 4);
    EXPECT_NE(said().find("openai/m: the answer is no chat completion (at byte 1: "), std::string::npos) << said();
    EXPECT_NE(said().find("): <html>log in</html>; it may have been billed\n"), std::string::npos) << said();
    EXPECT_NE(said().find("the budget is spent: $0.02 of $0.02, of which $0.02 may have been billed, and the next "
                          "request may cost $0.02; "),
              std::string::npos)
        << said();
}

}  // namespace
}  // namespace hone
