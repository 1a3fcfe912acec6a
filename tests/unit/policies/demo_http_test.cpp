// The demo as it is and with one line changed: run:policy("http", ...) instead of run:policy("torch-lm", ...), on two
// of its tasks. A server on loopback answers as a model would that knows a program for the task.
#include <gtest/gtest.h>
#include <unistd.h>
#include <cstdlib>
#include <iostream>
#include <regex>
#include <sstream>
#include "base/paths.hpp"
#include "scripted_server.hpp"
#include "store/journal.hpp"
#include "test_folders.hpp"

namespace hone {
namespace {

const std::string local_start = "local policy = run:policy(\"torch-lm\"",
                  remote_line = "local policy = run:policy(\"http\", { model = \"openai/scripted\" })";

// An answer as a language model gives it, with the program that tests/exploits/honest has for the task that the prompt
// is about: "# Task: mse_loss\n...".
std::string known_answer(const std::string& prompt) {
    const std::string title = "# Task: ";
    const std::string task = prompt.substr(title.size(), prompt.find('\n') - title.size());
    for (const auto& entry : fs::directory_iterator(fs::path(HONE_TEST_SOURCE_DIR) / "tests/exploits/honest"))
        if (prompt.starts_with(title) && entry.path().filename().string().starts_with(task + "."))
            return "## Code\n```cpp\n" + read_file(entry.path()) + "```\n";
    return "no program for " + task;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

class DemoHttp : public ::testing::Test {
protected:
    DemoHttp() : before_(fs::current_path()) {
        char path[] = "/tmp/hone_demo_XXXXXX";
        folder_ = mkdtemp(path);
        fs::create_directories(folder_ / "scripts/suites/cpu-basics");
        fs::copy(fs::path(HONE_TEST_SOURCE_DIR) / "scripts/suites/cpu-basics/losses.lua",
                 folder_ / "scripts/suites/cpu-basics");
        // instead of the demo's own
        write_file(folder_ / "scripts/core_tasks.lua", "return { \"mse_loss\", \"cross_entropy\" }\n");
        fs::current_path(folder_);
    }
    ~DemoHttp() override {
        fs::current_path(before_);
        fs::remove_all(folder_);
    }
    fs::path before_, folder_;
};

// The printed table of a script, a row a stage. Of answers that are lost to a busy machine it has a column more.
std::string table_of(const std::string& script, const std::string& environment = "") {
    const std::string command = "HONE_SCRIPT_PATH=scripts HONE_PLUGIN_PATH=" HONE_TEST_PLUGIN_DIR " " + environment +
                                " " + (program_path().parent_path() / "hone").string() + " run " + script +
                                " --set quick=true --set trials=3 --set steps=2 --set group=2 --set answers=2 "
                                "--set rounds=1 >out 2>err </dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0) << read_file("err");
    std::string table = read_file("out");
    std::cout << script << "\n" << table << "\n";
    for (const char* row : {"template teacher", "random init", "SFT", "SFT \\+ self-supervised", "all three"})
        EXPECT_TRUE(std::regex_search(table, std::regex(std::string("\n") + row + " +\\d+( +[-\\d]+)? +\\d+\\.\\d % ")))
            << row << " in " << script;
    return table;
}

TEST_F(DemoHttp, OneChangedLineAndTheSameTable) {
    if (!fs::exists(HONE_TEST_PLUGIN_DIR "/reference.torch.so")) GTEST_SKIP() << "the demo's reference needs LibTorch";
    const std::vector<std::string> demo = lines_of(read_file(fs::path(HONE_TEST_SOURCE_DIR) / "scripts/demo.lua"));
    std::string script;
    long changed = 0;
    for (const std::string& line : demo) {
        const bool names_it = line.starts_with(local_start);
        script += (names_it ? remote_line : line) + "\n";
        changed += names_it;
    }
    ASSERT_EQ(changed, 1);
    write_file("demo.lua", script);
    const test::ScriptedServer server("{}", [](const Json& request) {
        return known_answer(request["messages"].back()["content"].get<std::string>());
    });
    fs::copy(fs::path(HONE_TEST_SOURCE_DIR) / "scripts/demo.lua", "local.lua");
    table_of("local.lua --name local");
    table_of("demo.lua", "OPENAI_API_KEY=sk-demo OPENAI_BASE_URL=" + server.base_url());
    const std::string talk = read_file("err");
    for (const char* stage : {"sft", "self-supervised"})
        EXPECT_NE(talk.find(std::string(stage) + "  note no updates: policy http cannot learn\n"), std::string::npos)
            << talk;
    EXPECT_NE(talk.find("contrastive-rl  note runs as search: exemplars, scores and archive\n"), std::string::npos)
        << talk;
    ASSERT_FALSE(server.requests().empty());
    EXPECT_EQ(server.requests().front()["body"]["max_tokens"], 8192) << "the tiny model's 256 would cut every answer";
    const Journal journal = Journal::read("runs/demo");
    EXPECT_EQ(journal.rows("SELECT count(*) AS n FROM update_step").at(0)["n"], 0);
    const Json last =
        journal.rows("SELECT stage, doc ->> '$.success' AS success FROM stage_row ORDER BY op DESC LIMIT 1").at(0);
    EXPECT_EQ(last["stage"], "all three");
    EXPECT_GT(last["success"].get<double>(), 0);
    const char* const search =
        "SELECT count(*) AS answers, total(scored) AS passed, total(exemplars > 0) AS shown FROM v_candidate "
        "WHERE stage = 'contrastive-rl'";
    const Json searched = journal.rows(search).at(0);
    EXPECT_EQ(searched["answers"], 8) << "2 steps, 2 tasks, 2 answers";
    EXPECT_GT(searched["passed"].get<double>(), 0);
    EXPECT_GT(searched["shown"].get<double>(), 0);
    EXPECT_EQ(read_file("runs/demo/journal.sqlite").find("sk-demo"), std::string::npos);
}

}  // namespace
}  // namespace hone
