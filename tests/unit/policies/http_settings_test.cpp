// policy.http against a scripted server: its settings, and a key that is never shown.

#include <sys/stat.h>
#include <ctime>
#include "http_fixture.hpp"

namespace hone {
namespace {

using test::Ask, test::completion, test::GivenAnswer, test::HttpPolicy, test::key, test::PolicyPart,
    test::ScriptedServer;

TEST_F(HttpPolicy, RefusedKeysStopTheScript) {
    const ScriptedServer server(
        R"({"then": {"status": 401, "body": {"error": {"message": "Incorrect API key provided: )" + key + "\"}}}}");
    const std::string error = sample_error(server);
    EXPECT_EQ(error,
              "openai refused the key (401); put a valid one into the environment variable OPENAI_API_KEY; the server "
              "says: Incorrect API key provided: [key]");
    EXPECT_EQ(server.requests().size(), 1u);
    const ScriptedServer unknown(R"({"then": {"status": 404, "body": {"error": {"message": "no model gpt-test"}}}})");
    EXPECT_EQ(sample_error(unknown),
              "openai/gpt-test: no such model or address (404): no model gpt-test; asked at " + unknown.base_url());
    const ScriptedServer broke(
        R"({"then": {"status": 429, "body": {"error": {"message": "pay first", "code": "insufficient_quota"}}}})");
    EXPECT_EQ(sample_error(broke), "openai/gpt-test: the account's quota is spent (429): pay first");
}

TEST_F(HttpPolicy, SettingsAreReadFromTheRightPlace) {
    const ScriptedServer from_file, from_environment, from_option;
    config("[provider.openai]\nbase_url = \"" + from_file.base_url() + "\"\nbody = { user = \"me\" }\n");
    PolicyPart("http", {{"model", "openai/m"}}).ask({.messages = {{"user", "q"}}});
    ASSERT_EQ(from_file.requests().size(), 1u);
    EXPECT_EQ(from_file.requests()[0]["body"]["user"], "me");
    setenv("OPENAI_BASE_URL", from_environment.base_url().c_str(), 1);
    PolicyPart("http", {{"model", "openai/m"}}).ask({.messages = {{"user", "q"}}});
    EXPECT_EQ(from_environment.requests().size(), 1u);
    PolicyPart("http", options(from_option)).ask({.messages = {{"user", "q"}}});
    EXPECT_EQ(from_option.requests().size(), 1u);
}

TEST_F(HttpPolicy, NumbersOfTheFileAreWithinTheOptionsLimits) {
    const auto said = [&](const std::string& line) {
        config("[provider.openai]\n" + line + "\n");
        return refusal({{"model", "openai/m"}}).substr(folder().size());
    };
    EXPECT_EQ(said("concurrency = -1"), "/hone.toml: provider.openai.concurrency: -1 is outside 0..4096");
    EXPECT_EQ(said("concurrency = 2.5"), "/hone.toml: provider.openai.concurrency: 2.5 is no whole number");
    EXPECT_EQ(said("requests_per_minute = -1"),
              "/hone.toml: provider.openai.requests_per_minute: -1 is outside 0..1e9");
    EXPECT_EQ(said("deadline = 1e9"), "/hone.toml: provider.openai.deadline: 1000000000.0 is outside 0..86400");
    for (const char* line : {"concurrency = 4096", "requests_per_minute = 500", "tokens_per_minute = 200000",
                             "tries = 6", "deadline = 900", "backoff = 1", "max_bytes = 1000000"}) {
        config(std::string("[provider.openai]\n") + line + "\n");
        EXPECT_NO_THROW(PolicyPart("http", {{"model", "openai/m"}})) << line;
    }
}

TEST_F(HttpPolicy, AKeyMayStandInAFileThatNobodyElseCanRead) {
    const ScriptedServer server;
    unsetenv("OPENAI_API_KEY");
    const std::string file = folder() + "/openai.key";
    const auto write = [&](const std::string& text) { std::ofstream(file) << text; };
    const auto refused = [&] { return refusal(options(server, {{"key_file", file}})); };
    EXPECT_EQ(refused(), "key_file " + file + ": No such file or directory; put the key there, alone, on one line");
    write(key + "\n");
    chmod(file.c_str(), 0640);
    EXPECT_EQ(refused(), "key_file " + file + ": others may read it; write: chmod 600 " + file);
    chmod(file.c_str(), 0600);
    config("[provider.openai]\nkey_file = \"" + file + "\"\n");
    PolicyPart("http", options(server)).ask({.messages = {{"user", "q"}}});
    EXPECT_EQ(server.requests().at(0)["authorization"], "Bearer " + key);
    setenv("OTHER_KEY", "another-key-for-tests", 1);
    PolicyPart("http", options(server, {{"key_env", "OTHER_KEY"}})).ask({.messages = {{"user", "q"}}});
    EXPECT_EQ(server.requests().at(1)["authorization"], "Bearer another-key-for-tests");
    const ScriptedServer refuses(R"({"then": {"status": 401, "body": {"error": {"message": "no"}}}})");
    EXPECT_EQ(sample_error(refuses),
              "openai refused the key (401); put a valid one into the file " + file + "; the server says: no");
    write("\n");
    EXPECT_EQ(refused(), "key_file " + file + ": holds no key for openai");
    write("two\nlines");
    EXPECT_EQ(refused(), "key_file " + file +
                             " holds a newline or another control character within the key; put the key there alone, "
                             "on one line");
    write("key # mine");
    EXPECT_EQ(refused(),
              "key_file " + file + " holds a blank or a letter beyond ASCII within the key; put the key there alone");
    EXPECT_EQ(
        refusal(options(server, {{"key_file", "sk-a-key-in-the-wrong-place"}})),
        "key_file: no path with a /, such as ~/.keys/openai, or ./key for one of this folder; put the key into a file "
        "and name that");
    EXPECT_EQ(refusal(options(server, {{"key_file", folder()}})),
              "key_file " + folder() + ": is no file that can be read");
}

// A run may be started in any folder.
TEST_F(HttpPolicy, ARelativePathOfAKeyGoesOnFromTheFileThatNamesIt) {
    const ScriptedServer server;
    unsetenv("OPENAI_API_KEY");
    std::filesystem::create_directory(folder() + "/keys");
    std::ofstream(folder() + "/keys/openai") << key;
    chmod((folder() + "/keys/openai").c_str(), 0600);
    config("[provider.openai]\nkey_file = \"./keys/openai\"\n");
    PolicyPart("http", options(server)).ask({.messages = {{"user", "q"}}});
    EXPECT_EQ(server.requests().at(0)["authorization"], "Bearer " + key);
    config("[provider.openai]\nkey_file = \"keys/none\"\n");
    EXPECT_EQ(refusal(options(server)), "key_file " + folder() +
                                            "/keys/none: No such file or directory; put the key there, alone, on one "
                                            "line");
    EXPECT_EQ(refusal(options(server, {{"key_file", "keys/openai"}})),
              "key_file keys/openai: No such file or directory; put the key there, alone, on one line")
        << "an option goes on from the working folder";
    config("[provider.openai]\nkey_file = \"./key\"\n");
    const std::filesystem::path here = std::filesystem::current_path();
    std::filesystem::current_path(folder());
    setenv("HONE_CONFIG", "hone.toml", 1);
    EXPECT_EQ(refusal(options(server)),
              "key_file ./key: No such file or directory; put the key there, alone, on one line");
    std::filesystem::current_path(here);
}

TEST_F(HttpPolicy, RefusalsNameTheCure) {
    EXPECT_EQ(refusal({{"model", "gpt-5.4"}}),
              "option model: \"gpt-5.4\" names no provider; did you mean \"openai/gpt-5.4\"?");
    EXPECT_EQ(refusal({{"model", "claude-x"}}),
              "option model: \"claude-x\" names no provider; did you mean \"anthropic/claude-x\"?");
    EXPECT_EQ(refusal({{"model", "fake/"}}),
              "option model: \"fake/\" names no model behind the provider; write provider/model");
    EXPECT_EQ(refusal({{"model", ""}}), "option model: none is named; write provider/model, such as openai/gpt-5.4");
    EXPECT_EQ(refusal({{"model", "acme/m"}}),
              "provider \"acme\" is none of openai, anthropic, gemini, deepseek, openrouter, vllm, sglang, llama.cpp, "
              "ollama, "
              "hone: say its base_url in hone.toml ([provider.acme]) or as an option");
    unsetenv("OPENAI_API_KEY");
    EXPECT_EQ(refusal({{"model", "openai/m"}}),
              "environment variable OPENAI_API_KEY is not set: it must hold the key for openai");
    setenv("OPENAI_API_KEY", key.c_str(), 1);
    EXPECT_EQ(refusal({{"model", "openai/m"}, {"base_url", "http://example.invalid/v1"}}),
              "http://example.invalid/v1: the key in OPENAI_API_KEY would travel in the clear; use https://, or "
              "key_env = \"none\"");
    EXPECT_EQ(refusal({{"model", "openai/m"}, {"key_env", "MY_PASS"}}),
              "option key_env: candidates could read MY_PASS: name it in hone.toml, or end its name with _KEY, _TOKEN "
              "or _SECRET");
    config("[provider.openai]\nbase_uri = \"x\"\n");
    EXPECT_EQ(refusal({{"model", "openai/m"}})
                  .find(folder() + "/hone.toml: provider.openai has no key \"base_uri\" (keys: base_url, key_env, "),
              0u);
    config("[provider.openai\n");
    EXPECT_EQ(refusal({{"model", "openai/m"}}).find(folder() + "/hone.toml:1:"), 0u);
    config("[providrs.openai]\n");
    EXPECT_EQ(refusal({{"model", "openai/m"}}),
              folder() + "/hone.toml: no table \"providrs\"; the tables of providers are named [provider.NAME]");
    setenv("HONE_CONFIG", (folder() + "/none.toml").c_str(), 1);
    EXPECT_EQ(refusal({{"model", "openai/m"}}), "HONE_CONFIG names " + folder() + "/none.toml: no such file");
    setenv("HONE_CONFIG", folder().c_str(), 1);
    EXPECT_EQ(refusal({{"model", "openai/m"}}), folder() + ": is a folder; name a file, or remove it");
}

TEST_F(HttpPolicy, PricesThatCannotBeAreRefused) {
    const auto told = [this](const std::string& lines) {
        config(lines);
        return refusal({{"model", "openai/gpt-test"}});
    };
    const std::string file = folder() + "/hone.toml: ", name = "provider.openai.price.\"gpt-test\"",
                      table = "[" + name + "]\n",
                      number = " must be a number of US dollars per million tokens, 0 or above";
    EXPECT_EQ(told(table + "input = \"2.5\"\noutput = 1\n"), file + name + ".input" + number + ", not \"2.5\"");
    EXPECT_EQ(told(table + "input = 2\noutput = -1\n"), file + name + ".output" + number + ", not -1");
    EXPECT_EQ(
        told(table + "inputs = 2.5\noutput = 1\n"),
        file + name +
            " has no key \"inputs\" (keys: input, cached, cache_write, output, long_above, long_input, long_output; "
            "the name of a model stands in quotes)");
    const std::string both = "; give input and output, in US dollars per million tokens";
    EXPECT_EQ(told(table + "input = 2\n"), file + name + " lacks output" + both);
    EXPECT_EQ(told(table + "output = 2\n"), file + name + " lacks input" + both);
    const std::string write = "; write [" + name + "] and below it input and output";
    EXPECT_EQ(told("[provider.openai.price]\ngpt-test = 2\n"), file + name + " must be a table, not 2" + write);
    EXPECT_EQ(told("[provider.openai]\nprice = 2\n"),
              file + "provider.openai.price must be a table of models, not 2" + write);
    EXPECT_EQ(
        told("[provider.openai.price.gpt-5.4]\ninput = 2\noutput = 2\n"),
        file +
            "provider.openai.price.\"gpt-5\" has no key \"4\" (keys: input, cached, cache_write, output, long_above, "
            "long_input, long_output; the name of a model "
            "stands in quotes)")
        << "a dot in a name without quotes";
    for (const std::string key : {"long_input", "long_output"}) {
        const std::string lines = table + "input = 2\noutput = 1\n" + key + " = 4\n";
        EXPECT_EQ(told(lines),
                  file + name + " has " + key +
                      " and lacks long_above; give with it the number of tokens above which a prompt is long");
        EXPECT_EQ(told(lines + "long_above = 200000\n"), "no error");
    }
    EXPECT_EQ(told(table + "input = 0\noutput = 0\n"), "no error");
}

TEST_F(HttpPolicy, FieldsOfHonesOwnAreNotOverridden) {
    const auto told = [](const std::string& body) { return refusal({{"model", "openai/gpt-test"}, {"body", body}}); };
    const std::string begin = "option body: hone itself sets \"", end = "\"; leave it out of body: ";
    EXPECT_EQ(told(R"({"messages": []})"), begin + "messages" + end + "the prompt part of the script writes them");
    EXPECT_EQ(told(R"({"model": "x"})"), begin + "model" + end + "name it in the option model");
    EXPECT_EQ(told(R"({"n": null})"), begin + "n" + end + "say group in the script's stage");
    EXPECT_EQ(told(R"({"stream": true})"), begin + "stream" + end + "say it in the option stream");
    config("[provider.openai]\nbody = { n = 2 }\n");
    const std::string place = folder() + "/hone.toml: provider.openai.body";
    EXPECT_EQ(told(""), place + ": hone itself sets \"n\"; leave it out of body: say group in the script's stage");
    config("[provider.openai]\nbody = 2\n");
    EXPECT_EQ(told(""), place + " must be a table of fields, not 2");
}

TEST_F(HttpPolicy, SecretsInAnAddressAreNotShown) {
    const ScriptedServer server(
        R"({"steps": [{"status": 418, "body": {"error": {"message": "no api-version=secret-2026"}}}], "then": {"status": 404, "body": "no"}})");
    std::string url = server.base_url();
    url.insert(url.find("127"), "me:hunter2@");
    PolicyPart part("http", options(server, {{"base_url", url + "/?api-version=secret-2026"}}));
    EXPECT_EQ(part.ask({.messages = {{"user", "q"}}}).text, "openai/gpt-test, after 1 try: 418: no [key]");
    EXPECT_EQ(server.requests().at(0)["target"], "/v1/chat/completions?api-version=secret-2026");
    EXPECT_EQ(sample_error(server, {{"base_url", url + "?api-version=secret-2026"}}),
              "openai/gpt-test: no such model or address (404): no; asked at " + server.base_url());
    EXPECT_EQ(refusal({{"model", "openai/m"}, {"base_url", "ftp://me:hunter2@x.org/v1?k=1"}}),
              "base_url: \"ftp://x.org/v1\" must begin with https:// or http://");
    EXPECT_EQ(refusal({{"model", "openai/m"}, {"base_url", "https://x.org/v1/chat/completions/?k=1"}}),
              "base_url: \"https://x.org/v1/chat/completions\" ends in /chat/completions, which hone adds; write "
              "\"https://x.org/v1\"");
    for (const char* name : {"sk-proj-0123456789", "1KEY", "A KEY"})
        EXPECT_EQ(
            refusal({{"model", "openai/m"}, {"key_env", name}}),
            "key_env: no name of an environment variable (letters, digits and _); put the key into a variable and "
            "name that here");
}

TEST_F(HttpPolicy, TheKeyTravelsInTheClearOnThisMachineOnly) {
    for (const char* host :
         {"localhost", "LOCALHOST:8000", "127.0.0.1", "127.9.8.7:8000", "127.1", "[::1]", "[::1]:8000"})
        EXPECT_EQ(refusal({{"model", "openai/m"}, {"base_url", std::string("http://") + host + "/v1"}}), "no error")
            << host;
    for (const char* host : {"localhost.evil.org", "127.evil.org", "127.0.0.1.evil.org", "127.0.0.1@evil.org",
                             "localhost:x@evil.org:80", "evil.org", "128.0.0.1", "[::2]", "[::1", "localhost:port"}) {
        const std::string url = std::string("http://") + host + "/v1",
                          shown = "http://" + url.substr(url.find_last_of("/@", url.find("/v1") - 1) + 1);
        EXPECT_EQ(refusal({{"model", "openai/m"}, {"base_url", url}}),
                  shown + ": the key in OPENAI_API_KEY would travel in the clear; use https://, or key_env = \"none\"");
    }
    EXPECT_EQ(refusal({{"model", "openai/m"}, {"base_url", "https://localhost.evil.org/v1"}}), "no error");
}

TEST_F(HttpPolicy, TheKeyIsNeverShown) {
    const ScriptedServer server("{\"then\": {\"status\": 500, \"body\": \"" + std::string(190, '.') + key + "\"}}");
    PolicyPart part("http", options(server, {{"tries", 2}}));
    const GivenAnswer answer = part.ask({.messages = {{"user", "q"}}});
    EXPECT_EQ(answer.text.find("sk-secret"), std::string::npos)
        << "not even the part of it that a shortened text would keep";
    const std::string facts = facts_of(part);
    EXPECT_NE(facts.find("device=remote\nspeaks=chat\n"), std::string::npos);
    EXPECT_EQ(facts.find(key), std::string::npos);
    EXPECT_EQ(PolicyPart::logged().find(key), std::string::npos);
}

TEST_F(HttpPolicy, AnAnswerThatEchoesTheKeyIsKeptWithoutIt) {
    Json body = completion("Your header was Bearer " + key + ", twice " + key);
    body["model"] = "m-" + key;
    const ScriptedServer server("{\"then\": {\"body\": " + body.dump() + "}}");
    PolicyPart part("http", options(server));
    const GivenAnswer answer = part.ask({.messages = {{"user", "q"}}});
    EXPECT_EQ(answer.text, "Your header was Bearer [key], twice [key]");
    EXPECT_EQ(answer.model, "m-[key]");
}

// A server's page or trace may write a key as HTML, JSON and addresses do.
TEST_F(HttpPolicy, TheKeyIsNotShownInAnyWriting) {
    setenv("OPENAI_API_KEY", "sk/secret+0123456789=", 1);
    const ScriptedServer server(
        Json{{"then",
              {{"status", 500},
               {"body", R"(sk\/secret+0123456789= sk\\\/secret\u002B0123456789\u003d )"
                        "sk&#x2F;secret&#43;0123456789= sk%2fsecret%2B0123456789%3D sk/other \\/ &#x2F; %2F"}}}}
            .dump());
    PolicyPart part("http", options(server, {{"tries", 1}}));
    EXPECT_EQ(part.ask({.messages = {{"user", "q"}}}).text,
              "openai/gpt-test, after 1 try: 500: [key] [key] [key] [key] sk/other \\/ &#x2F; %2F");
    setenv("OPENAI_API_KEY", "a&b<c>d%e\\f0123", 1);
    const ScriptedServer marks(
        Json{{"then",
              {{"status", 500}, {"body", "a&amp;b&lt;c&gt;d%e\\f0123 a%26b%3Cc%3Ed%25e%5Cf0123 a&b<c>d%e\\\\f0123"}}}}
            .dump());
    PolicyPart of_marks("http", options(marks, {{"tries", 1}}));
    EXPECT_EQ(of_marks.ask({.messages = {{"user", "q"}}}).text, "openai/gpt-test, after 1 try: 500: [key] [key] [key]");
    setenv("OPENAI_API_KEY", "sk/secret+0123456789=", 1);
    const ScriptedServer twice(
        R"({"then": {"status": 401, "body": "{\"error\": {\"message\": \"sk\\u0026#x2F;secret+0123456789=\"}}"}})");
    EXPECT_EQ(sample_error(twice),
              "openai refused the key (401); put a valid one into the environment variable OPENAI_API_KEY; the server "
              "says: [key]")
        << "HTML within JSON";
}

// What comes of an answer in pieces of so many bytes, and what somebody who looks on has read of it.
class LookedOn : public HttpPolicy {
protected:
    struct Got {
        std::string whole, seen;
    };
    static Got looked_on(const std::string& text, std::size_t wide) {
        Json events = Json::array();
        for (std::size_t at = 0; at < text.size(); at += wide)
            events.push_back(
                "data: " + Json{{"choices", {{{"index", 0}, {"delta", {{"content", text.substr(at, wide)}}}}}}}.dump() +
                "\n\n");
        events.push_back(R"(data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})"
                         "\n\n");
        events.push_back("data: [DONE]\n\n");
        const ScriptedServer server(Json{{"then", {{"events", events}}}}.dump());
        PolicyPart part("http", options(server, {{"stream", "yes"}}));
        Got got{part.ask({.messages = {{"user", "q"}}}).text, ""};
        for (const std::string& piece : part.pieces(0, 0)) got.seen += piece;
        return got;
    }
};

// The key would travel through it in the clear.
TEST_F(HttpPolicy, AServerOfThisMachineIsAskedPastAProxy) {
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    const ScriptedServer server;
    PolicyPart part("http", options(server, {{"tries", 1}}));
    EXPECT_EQ(part.ask({.messages = {{"user", "q"}}}).finish, HONE_STOP);
    unsetenv("http_proxy");
}

// A piece may end within an escaped key.
TEST_F(LookedOn, NoPieceOfAStreamHoldsAPartOfTheKey) {
    setenv("OPENAI_API_KEY", "sk/secret+0123456789=", 1);
    const std::string text = R"(a sk\/secret\u002b0123456789\u003d b sk%2Fsecret%2B0123456789%3D )"
                             "c sk&#x2F;secret&#43;0123456789&#61; d sk/secret+0123456789= e sk/other";
    for (const std::size_t wide : {1u, 3u, 4u, 7u}) {
        const auto [whole, seen] = looked_on(text, wide);
        EXPECT_EQ(whole, "a [key] b [key] c [key] d [key] e sk/other");
        EXPECT_TRUE(whole.starts_with(seen)) << seen;
        EXPECT_GT(seen.size(), whole.size() - 12) << "nearly all was told";
    }
}

TEST_F(LookedOn, AKeyThatEndsAsItBeginsIsNotShown) {
    setenv("OPENAI_API_KEY", "sk-0123456789s", 1);
    const std::string text = "it is Bearer sk-0123456789s";
    for (const std::size_t wide : {std::size_t{1}, std::size_t{5}, text.size()})
        EXPECT_EQ(looked_on(text, wide).seen, "it is Bearer [key]");
}

// A copy of all that was told for each piece of 4 bytes would take minutes.
TEST_F(LookedOn, ALongStreamOfShortPiecesIsReadInLinearTime) {
    const std::string text(1 << 17, 'x');
    const std::clock_t begun = std::clock();
    looked_on(text, 16);
    const double first = static_cast<double>(std::clock() - begun);
    looked_on(text + text + text + text, 16);
    EXPECT_LT(static_cast<double>(std::clock() - begun) - first, 10 * first) << "four times as long";
}

TEST_F(HttpPolicy, AKeyThatIsInManyWordsIsNotLookedFor) {
    setenv("OPENAI_API_KEY", "k", 1);
    const ScriptedServer server(R"({"then": {"status": 418, "body": {"error": {"message": "broken"}}}})");
    PolicyPart part("http", options(server));
    EXPECT_EQ(part.ask({.messages = {{"user", "q"}}}).text, "openai/gpt-test, after 1 try: 418: broken");
}

TEST_F(HttpPolicy, AKeyIsOneLine) {
    setenv("OPENAI_API_KEY", (key + "\r\n").c_str(), 1);
    const ScriptedServer server;
    PolicyPart part("http", options(server));
    part.ask({.messages = {{"user", "q"}}});
    EXPECT_EQ(server.requests().at(0)["authorization"], "Bearer " + key) << "as it comes out of a file";
    for (const std::string broken : {"sk-first\nsk-second", "sk-\x7f", "sk-\x01x"}) {
        setenv("OPENAI_API_KEY", broken.c_str(), 1);
        EXPECT_EQ(
            refusal({{"model", "openai/m"}}),
            "environment variable OPENAI_API_KEY holds a newline or another control character within the key; put "
            "the key there alone, on one line");
    }
    setenv("OPENAI_API_KEY", "\n", 1);
    EXPECT_EQ(refusal({{"model", "openai/m"}}),
              "environment variable OPENAI_API_KEY is not set: it must hold the key for openai");
}

}  // namespace
}  // namespace hone
