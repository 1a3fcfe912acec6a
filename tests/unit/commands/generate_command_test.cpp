// `hone generate` with a server of chat completions; tests/torch_lm has the local model's pieces.
#include <chrono>
#include <csignal>
#include <thread>
#include "command_line.hpp"
#include "policies/scripted_server.hpp"

namespace hone {
namespace {

using test::ScriptedServer;

std::vector<std::string> with_server(const ScriptedServer& server, std::vector<std::string> words) {
    for (const std::string& option : {"base_url=" + server.base_url(), std::string("key_env=none")})
        words.insert(words.end(), {"--option", option});
    words.insert(words.begin(), "generate");
    return words;
}

TEST(GenerateCommand, PrintsTheAnswer) {
    const ScriptedServer server(R"({"text": "It is a kernel.\u001b[2J"})");
    const Ran ran =
        run(with_server(server, {"test/any", "What is it?", "--system", "Be short.", "--temperature", "0"}));
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.out, "It is a kernel.\uFFFD[2J\n") << "nothing that a terminal obeys";
    EXPECT_NE(ran.err.find("5 tokens in "), std::string::npos) << ran.err;
    const Json body = server.requests().at(0).at("body");
    EXPECT_EQ(body.at("messages"), Json::parse(R"([{"role": "system", "content": "Be short."},
                                                   {"role": "user", "content": "What is it?"}])"));
    EXPECT_EQ(body.at("temperature"), 0);
    EXPECT_FALSE(body.contains("stop") || body.contains("top_k") || body.contains("min_p"));
}

TEST(GenerateCommand, AFolderThatIsNotThereIsNoProvider) {
    const Ran ran = run({"generate", "runs/none/model", "hello"});
    EXPECT_EQ(ran.code, 2);
    EXPECT_EQ(
        ran.err,
        "hone: generate: runs/none/model: there is no such folder or file here, and no provider \"runs\" is known; "
        "name a model that is here (`./dev demo` leaves one in runs/demo/checkpoints, `./dev model smollm2` fetches "
        "one), or provider/model (`hone models` lists the providers)\n");
}

TEST(GenerateCommand, PassesOnWhereAnswersEndAndHowTheyAreDrawn) {
    const ScriptedServer server(R"({"text": "yes"})");
    const Ran ran = run(with_server(server, {"test/any", "go on", "--stop", "END", "--stop", "\n\n", "--top-k", "40",
                                             "--min-p", "0.05", "--quiet"}));
    ASSERT_EQ(ran.code, 0) << ran.err;
    const Json body = server.requests().at(0).at("body");
    EXPECT_EQ(body.at("stop"), (Json{"END", "\n\n"}));
    EXPECT_EQ(body.at("top_k"), 40);
    EXPECT_EQ(body.at("min_p"), 0.05);
}

TEST(GenerateCommand, ReadsStandardInputAndWritesADocument) {
    const ScriptedServer server(R"({"text": "yes"})");
    const Typed typed("from a pipe");
    const Ran ran = run(with_server(server, {"test/any", "--answers", "2", "--json", "--quiet"}));
    ASSERT_EQ(ran.code, 0) << ran.err;
    const Json doc = Json::parse(ran.out);
    EXPECT_EQ(doc.at("schema"), "hone.generate/1");
    ASSERT_EQ(doc.at("answers").size(), 2u);
    EXPECT_EQ(doc.at("answers").at(1).at("text"), "yes");
    EXPECT_EQ(server.requests().at(0).at("body").at("messages").at(0).at("content"), "from a pipe");
}

TEST(GenerateCommand, TellsOfAnAnswerThatFailed) {
    const ScriptedServer server(R"({"then": {"status": 400, "body": {"error": {"message": "no such model"}}}})");
    const Ran ran = run(with_server(server, {"test/any", "hello"}));
    EXPECT_EQ(ran.out, "");
    EXPECT_NE(ran.code, 0);
    EXPECT_NE(ran.err.find("no such model"), std::string::npos) << ran.err;
}

// What was printed cannot be taken back: a line says where it ends. A document holds the answer alone.
TEST(GenerateCommand, ATryThatBreaksOffIsToldApartFromTheAnswer) {
    const auto event = [](const std::string& text) {
        return "data: " + Json{{"choices", {{{"index", 0}, {"delta", {{"content", text}}}}}}}.dump() + "\n\n";
    };
    const Json broken = {
        {"events", {event("half an "), event("answer"), "data: {\"error\": {\"message\": \"boom\"}}\n\n"}}};
    const ScriptedServer server(Json{{"steps", {broken, broken}}, {"text", "another one"}}.dump());
    const Ran text = run(with_server(server, {"test/any", "hello", "--option", "backoff=0.01", "--option", "tries=2"}));
    EXPECT_EQ(text.code, 1) << text.err;
    EXPECT_EQ(text.out, "half an answer\n==> broken off <==\n");
    const std::string script = Json{{"steps", {broken}}, {"text", "another one"}}.dump();
    const ScriptedServer once(script), again(script);
    const std::vector<std::string> words = {"test/any", "hello", "--option", "backoff=0.01"};
    EXPECT_EQ(run(with_server(once, words)).out,
              "half an answer\n==> broken off; the answer of another try <==\nanother one\n");
    std::vector<std::string> json = words;
    json.push_back("--json");
    EXPECT_EQ(Json::parse(run(with_server(again, json)).out)["answers"][0]["text"], "another one");
}

TEST(GenerateCommand, APieceMayEndWithinALinesEnd) {
    const auto event = [](const std::string& text) {
        return "data: " + Json{{"choices", {{{"index", 0}, {"delta", {{"content", text}}}}}}}.dump() + "\n\n";
    };
    const Json pieces = {{"events", {event("a\r"), event("\nb"), "data: [DONE]\n\n"}}};
    const ScriptedServer server(Json{{"steps", {pieces}}}.dump());
    EXPECT_EQ(run(with_server(server, {"test/any", "hello"})).out, "a\nb\n");
}

TEST(GenerateCommand, CtrlCEndsIt) {
    const ScriptedServer server(R"({"then": {"text": "late", "delay": 20000}})");
    std::thread user([&] {
        while (server.requests().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
        std::raise(SIGINT);
    });
    const Ran ran = run(with_server(server, {"test/any", "hello"}));
    user.join();
    EXPECT_EQ(ran.code, 130) << ran.err;
    EXPECT_EQ(ran.out, "");
}

TEST(GenerateCommand, RefusesWhatItCannotRead) {
    const auto error = [](std::vector<std::string> words) {
        words.insert(words.begin(), {"generate", "vllm/any", "hello"});
        const Ran ran = run(words);
        EXPECT_EQ(ran.code, 2) << ran.err;
        return ran.err;
    };
    EXPECT_EQ(error({"--top-p", "0"}), "hone: generate: --top-p = 0 is not above 0 and at most 1\n");
    EXPECT_EQ(error({"--temperature", "warm"}),
              "hone: generate: --temperature takes a number from 0 to 100, not \"warm\"\n");
    EXPECT_EQ(error({"--max-tokens", "1.5"}), "hone: generate: --max-tokens takes a whole number, not \"1.5\"\n");
    EXPECT_EQ(error({"--max-tokens", "1e9"}),
              "hone: generate: --max-tokens takes a number from 1 to 16777216, not \"1e9\"\n");
    EXPECT_EQ(error({"--stop", ""}), "hone: generate: --stop takes a text that is not empty\n");
    EXPECT_EQ(error({"--option", "timeout"}), "hone: generate: --option takes NAME=VALUE, not \"timeout\"\n");
}

TEST(GenerateCommand, RefusesAPromptThatIsEmptyOrNoText) {
    EXPECT_EQ(run({"generate", "vllm/any", ""}).err, "hone: generate: the prompt is empty\n");
    EXPECT_EQ(run({"generate", "vllm/any", "a\xff"}).err,
              "hone: generate: the user prompt is no UTF-8; convert it, as by iconv\n");
}

}  // namespace
}  // namespace hone
