// run:collect with several teachers behind APIs: they write at the same time, a run that is stopped goes on without
// asking anybody twice, and the report has a row for each.
#include <gtest/gtest.h>
#include <atomic>
#include <chrono>
#include <csignal>
#include <map>
#include <thread>
#include "policies/scripted_server.hpp"
#include "stopped_run.hpp"
#include "store/report/report.hpp"
#include "test_folders.hpp"

namespace hone {
namespace {

const std::string collect_from_three = test::judge_and_task + R"lua(
local suite, teachers = run:suite("fake", { only = { "axpy", "square" } }), {}
for i, model in ipairs { "one", "two", "bad" } do
    teachers[i] = run:policy("http", { model = "openai/" .. model, concurrency = 1 })
end
local prompt = run:prompt(function(task) return { { role = "user", text = task.name }, fenced = false } end)
local corpus = run:collect { teacher = teachers, suite = suite, judge = judge, prompt = prompt, trials = 3, keep = 2, row = "teachers" }
local file = io.open("corpus", "w")
for _, item in ipairs(corpus.items) do file:write(item.teacher, " ", item.task.name, " ", item.code, "\n") end
file:close()
)lua";

const std::string corpus_of_three =
    "http axpy 3 1 4\n"
    "http square 7 2 2\n"
    "http#2 axpy 3 1 5\n"
    "http#2 square 7 2 3\n";

std::string answer_to(const Json& request) {
    const std::string model = request["model"], task = request["messages"].back()["content"];
    if (model == "bad") return "no program";
    return (task == "axpy" ? "3 1 " : "7 2 ") + std::to_string((task == "axpy" ? 4 : 2) + (model == "two"));
}

class Teachers : public test::StoppedRun, public ::testing::WithParamInterface<int> {
protected:
    Teachers() { write_file("the script.lua", collect_from_three); }
    static std::map<std::string, int> requests_by_model(const test::ScriptedServer& server) {
        std::map<std::string, int> count;
        for (const Json& request : server.requests()) ++count[request["body"]["model"]];
        return count;
    }
};

TEST_F(Teachers, WriteAtTheSameTime) {
    const test::ScriptedServer server(R"({"steps": [{"together": 3}, {"together": 3}, {"together": 3}]})", answer_to);
    int status = -1;
    EXPECT_TRUE(start(false, server.base_url()).wait(120, &status));
    EXPECT_EQ(status, 0) << read_file("said");
    EXPECT_EQ(server.most_at_once(), 3);
    EXPECT_EQ(read_file("corpus"), corpus_of_three);
}

TEST_F(Teachers, EachHasARowInTheReport) {
    const test::ScriptedServer server("{}", answer_to);
    int status = -1;
    EXPECT_TRUE(start(false, server.base_url()).wait(120, &status));
    EXPECT_EQ(status, 0) << read_file("said");
    const Json report = report_json(Journal::read("stopped"));
    EXPECT_EQ(report["policies"].size(), 3u) << report["policies"];
    const std::string text = report_text(report), head = "teacher     trials  passed";
    const std::size_t at = text.find(head);
    ASSERT_NE(at, std::string::npos) << text;
    EXPECT_EQ(text.substr(at),
              "teacher     trials  passed  success  median  tokens in  tokens out   cost\n"
              "openai/one       4       4  100.0 %   1.80x         40          20  $0.00\n"
              "openai/two       4       4  100.0 %   1.44x         40          20  $0.00\n"
              "openai/bad       6       0    0.0 %       -         60          30  $0.00\n"
              "\n"
              "trials: answers that were judged; median: of the speed-ups of those that passed; cost: in US\n"
              "dollars, 0 where no price is known\n");
    EXPECT_EQ(report["teachers"][2]["teacher"], "openai/bad");
    EXPECT_EQ(report["teachers"][2]["policy"], "http#3");
    EXPECT_EQ(report["teachers"][2]["stage"], "collect");
}

// A function of the script, a policy of this machine and a remote one, which does not keep the others waiting.
TEST_F(Teachers, OfAllKindsWriteOneCorpus) {
    const test::ScriptedServer server("{}", [](const Json& request) {
        for (int i = 0; i < 2000 && kept("answer") < 12; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        return kept("answer") < 12 ? "nobody else has written" : answer_to(request);
    });
    std::string script = collect_from_three;
    script.replace(
        script.find("local prompt"), 0,
        "teachers[2] = run:policy(\"bigram\")\n"
        "teachers[3] = run:policy(function(request) return request.task.name == 'axpy' and '3 1 6' or '7 2 4' end)\n");
    script.replace(script.find("prompt = prompt, trials"), 0, "max_tokens = 8, ");
    script.replace(script.find("trials = 3, keep = 2"), 20, "trials = 4, keep = 4");
    write_file("the script.lua", script);
    int status = -1;
    EXPECT_TRUE(start(false, server.base_url()).wait(120, &status));
    EXPECT_EQ(status, 0) << read_file("said");
    const std::string corpus = read_file("corpus");
    EXPECT_TRUE(corpus.starts_with("http axpy 3 1 4\nhttp square 7 2 2\n")) << corpus;
    EXPECT_TRUE(corpus.ends_with("lua axpy 3 1 6\nlua square 7 2 4\n")) << corpus;
    EXPECT_EQ(kept("answer"), 3 * 2 * 4);
}

TEST_P(Teachers, NobodyIsAskedTwice) {
    std::atomic<bool> held = true;
    const test::ScriptedServer server("{}", [&](const Json& request) {
        if (request["model"] == "bad") held.wait(true);
        return answer_to(request);
    });
    const int status = stop_after(8, GetParam(), server.base_url());
    if (GetParam() == SIGINT) expect_interrupted(status);
    EXPECT_EQ(kept("answer"), 8);
    held = false, held.notify_all();
    const int held_back = requests_by_model(server)["bad"];
    EXPECT_EQ(resume(server.base_url()), 0) << read_file("said");
    EXPECT_EQ(requests_by_model(server), (std::map<std::string, int>{{"one", 4}, {"two", 4}, {"bad", held_back + 6}}));
    EXPECT_EQ(read_file("corpus"), corpus_of_three);
}

INSTANTIATE_TEST_SUITE_P(By, Teachers, ::testing::Values(SIGKILL, SIGINT),
                         [](const auto& with) { return std::string(with.param == SIGINT ? "CtrlC" : "Kill"); });

// Another script is refused where answers of the first are kept: the words name the policy.
TEST_F(Teachers, AnotherModelDoesNotGoOn) {
    std::atomic<bool> held = true;
    const test::ScriptedServer server("{}", [&](const Json& request) {
        if (request["model"] == "bad") held.wait(true);
        return answer_to(request);
    });
    stop_after(8, SIGKILL, server.base_url());
    held = false, held.notify_all();
    std::string other = collect_from_three;
    other.replace(other.find("\"two\""), 5, "\"new\"");
    write_file("the script.lua", other);
    const int status = resume(server.base_url());
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 3) << status;
    EXPECT_NE(
        read_file("said").find("operation 1 (rollout) was recorded with another value of \"policies.http#2.model\": "
                               "\"openai/two\", now \"openai/new\"; "),
        std::string::npos)
        << read_file("said");
}

// What the others wrote is kept where one of them cannot be asked.
TEST_F(Teachers, OneThatCannotBeAskedDoesNotCostTheAnswersOfTheOthers) {
    const test::ScriptedServer good("{}", answer_to),
        refusing(R"({"then": {"status": 401, "body": {"error": {"message": "wrong key"}}}})");
    std::string script = collect_from_three;
    script.replace(script.find("concurrency"), 0,
                   "base_url = model == \"two\" and \"" + refusing.base_url() + "\" or nil, ");
    write_file("the script.lua", script);
    int status = -1;
    EXPECT_TRUE(start(false, good.base_url()).wait(120, &status));
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 3) << status;
    EXPECT_NE(read_file("said").find("policy \"http\": sample: "), std::string::npos) << read_file("said");
    EXPECT_EQ(kept("answer"), 8);
    EXPECT_EQ(requests_by_model(good), (std::map<std::string, int>{{"one", 4}, {"bad", 4}}));
}

}  // namespace
}  // namespace hone
