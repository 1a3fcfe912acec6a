// The demo with one line changed: run:policy("http", ...) instead of run:policy("torch-lm", ...). A server on loopback answers as a model
// would that reads its prompt: with the last program shown to it, else with one that it has seen for the task.
#include <gtest/gtest.h>
#include <unistd.h>
#include <cstdlib>
#include "base/paths.hpp"
#include "scripted_server.hpp"
#include "store/journal.hpp"
#include "test_folders.hpp"

namespace hone {
namespace {

const std::string local_start = "local policy = run:policy(\"torch-lm\"",
                  remote_line = "local policy = run:policy(\"http\", { model = \"openai/scripted\" })";

// "<|task|>spec<|s7|>PROGRAM<|s12|>PROGRAM<|code|>": the last program, or nothing.
std::string last_shown(const std::string& prompt) {
    const std::size_t end = prompt.rfind("<|code|>"), mark = prompt.rfind("|>", end - 1);
    return prompt.compare(mark - 4, 4, "task") == 0 ? "" : prompt.substr(mark + 2, end - mark - 2);
}

// A passed program of the task that the prompt is about, from the run's own journal (the teacher wrote it before).
std::string remembered(const std::string& folder, const std::string& prompt) {
    const Journal journal = Journal::read(folder);
    std::string quoted = Json(prompt).dump();
    const auto asked = journal.rows("SELECT p.task FROM prompt p JOIN text ON sha256 = p.messages WHERE instr(body, ?) > 0 LIMIT 1",
                                    {quoted.substr(1, quoted.size() - 2)});
    if (asked.empty()) return "?";
    const auto known = journal.find({asked[0]["task"], "-speedup.lower", 0, 1});
    return known.empty() ? "?" : known[0]["code"].get<std::string>();
}

class DemoHttp : public ::testing::Test {
protected:
    DemoHttp() : before_(fs::current_path()) {
        char path[] = "/tmp/hone_demo_XXXXXX";
        folder_ = mkdtemp(path);
        fs::create_directories(folder_ / "scripts/suites/cpu-basics");
        fs::copy(fs::path(HONE_TEST_SOURCE_DIR) / "scripts/suites/cpu-basics/losses.lua", folder_ / "scripts/suites/cpu-basics");
        write_file(folder_ / "scripts/core_tasks.lua", "return { \"mse_loss\", \"cross_entropy\" }\n");  // instead of the demo's own
        fs::current_path(folder_);
    }
    ~DemoHttp() override {
        fs::current_path(before_);
        fs::remove_all(folder_);
    }
    fs::path before_, folder_;
};

TEST_F(DemoHttp, OneChangedLineAndTheSameTable) {
    if (!fs::exists(HONE_TEST_PLUGIN_DIR "/reference.torch.so")) GTEST_SKIP() << "the demo's reference needs LibTorch";
    std::string script = read_file(fs::path(HONE_TEST_SOURCE_DIR) / "scripts/demo.lua");
    const std::size_t at = script.find(local_start);
    ASSERT_NE(at, std::string::npos);
    write_file("demo.lua", script.replace(at, script.find('\n', at) - at, remote_line));
    const test::ScriptedServer server("{}", [&](const Json& request) {
        const std::string prompt = request["messages"].back()["content"], shown = last_shown(prompt);
        return shown.empty() ? remembered(folder_ / "runs/demo", prompt) : shown;
    });
    const std::string command =
        "HONE_SCRIPT_PATH=scripts HONE_PLUGIN_PATH=" HONE_TEST_PLUGIN_DIR " OPENAI_API_KEY=sk-demo OPENAI_BASE_URL=" + server.base_url() +
        " " + (program_path().parent_path() / "hone").string() +
        " run demo.lua --set quick=true --set trials=3 --set steps=2 --set group=2 --set answers=2 --set rounds=1 >out 2>err </dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0) << read_file("err");
    const std::string table = read_file("out"), talk = read_file("err");
    for (const char* row : {"template teacher", "random init", "SFT ", "SFT + self-supervised", "all three"})
        EXPECT_NE(table.find(std::string("\n") + row), std::string::npos) << row << "\n" << table;
    EXPECT_NE(talk.find("sft  note passed: policy http cannot learn\n"), std::string::npos) << talk;
    EXPECT_NE(talk.find("contrastive-rl  note runs as search: exemplars, scores and archive, no updates\n"), std::string::npos) << talk;
    EXPECT_GT(server.requests().size(), 8u);
    EXPECT_EQ(read_file("runs/demo/journal.sqlite").find("sk-demo"), std::string::npos);
}

}  // namespace
}  // namespace hone
