// policy.http against a scripted server: replies after which nothing more is sent, and what is lost then.
#include "http_fixture.hpp"

namespace hone {
namespace {

using test::Ask, test::HttpPolicy, test::key, test::PolicyPart, test::ScriptedServer;

std::vector<Ask> questions(std::size_t count) {
    std::vector<Ask> asks;
    for (std::size_t i = 0; i < count; ++i) asks.push_back({.messages = {{"user", std::to_string(i)}}});
    return asks;
}

// Three answers come after the reply that ends the run; they were paid for.
TEST_F(HttpPolicy, AnEndLosesNothingThatIsUnderWay) {
    for (const char* end : {R"("status": 402, "body": {"error": {"message": "pay"}})",
                            R"("status": 404, "body": {"error": {"message": "pay"}})"}) {
        const std::string answer = R"({"together": 4, "delay": 0.3}, )", last = std::string("{") + end + "}";
        const ScriptedServer server("{\"steps\": [" + answer + answer + answer + R"({"together": 4, )" + end +
                                    "}], \"then\": " + last + "}");
        PolicyPart part("http", options(server, {{"concurrency", 4}}));
        EXPECT_THROW(part.sample(questions(8)), std::runtime_error);
        EXPECT_EQ(part.given(), 3u);
        EXPECT_EQ(server.requests().size(), 4u) << "nothing is sent afterwards";
    }
    EXPECT_NE(PolicyPart::logged().find("openai/gpt-test: the account's quota is spent (402): pay; nothing more is "
                                        "sent; what is under way is waited for (3 requests)\n"),
              std::string::npos);
}

// A request that would have to be sent again is not.
TEST_F(HttpPolicy, AfterAnEndNothingIsTriedAgain) {
    const ScriptedServer server(
        R"({"steps": [{"together": 3, "delay": 0.2, "status": 500, "body": "down"}, {"together": 3, "delay": 0.4},
                      {"together": 3, "status": 402, "body": {"error": {"message": "pay"}}}]})");
    PolicyPart part("http", options(server, {{"concurrency", 3}}));
    EXPECT_THROW(part.sample(questions(5)), std::runtime_error);
    EXPECT_EQ(part.given(), 1u);
    EXPECT_EQ(server.requests().size(), 3u);
    EXPECT_EQ(part.sample(questions(2)).size(), 2u) << "the next call begins anew";
}

std::string with_status(int status, const Json& body) {
    return Json{{"then", {{"status", status}, {"body", body}}}}.dump();
}

TEST_F(HttpPolicy, AnEndIsToldInTheServersWords) {
    const auto told = [](int status, const Json& body) {
        const ScriptedServer server(with_status(status, body));
        return sample_error(server);
    };
    const std::string cure =
        "; put a valid one into the environment variable OPENAI_API_KEY; the server says: Incorrect API key";
    const Json wrong_key = {{"error", {{"message", "Incorrect API key"}}}};
    EXPECT_EQ(told(401, wrong_key), "openai refused the key (401)" + cure);
    EXPECT_EQ(told(403, wrong_key), "openai refused the key (403)" + cure);
    EXPECT_EQ(told(401, ""),
              "openai refused the key (401); put a valid one into the environment variable OPENAI_API_KEY; the server "
              "gives no reason");
    EXPECT_EQ(told(403, {{"error", {{"message", "Country, region, or territory not supported"}}}}),
              "openai/gpt-test: the server denies access (403): Country, region, or territory not supported; see at "
              "the provider what this account may use");
}

// As Gemini and Anthropic say it.
TEST_F(HttpPolicy, AComplaintOfKeyOrCreditWithStatus400IsAnEnd) {
    const std::string wrong = "API key not valid. Please pass a valid API key.",
                      poor = "Your credit balance is too low to access the Anthropic API.";
    const ScriptedServer gemini(
        with_status(400, Json::array({{{"error", {{"message", wrong}, {"status", "INVALID_ARGUMENT"}}}}})));
    EXPECT_EQ(sample_error(gemini, {{"model", "gemini/m"}, {"key_env", "OPENAI_API_KEY"}}),
              "gemini refused the key (400); put a valid one into the environment variable OPENAI_API_KEY; the server "
              "says: " +
                  wrong);
    const ScriptedServer anthropic(
        with_status(400, {{"type", "error"}, {"error", {{"type", "invalid_request_error"}, {"message", poor}}}}));
    EXPECT_EQ(sample_error(anthropic), "openai/gpt-test: the account's quota is spent (400): " + poor);
}

TEST_F(HttpPolicy, AKeyThatWasNotSentIsNotCalledWrong) {
    const ScriptedServer server(with_status(401, {{"error", {{"message", "no key"}}}}));
    const std::string said = "; the server says: no key";
    for (const char* empty : {"", " \n"}) {
        setenv("OPENAI_API_KEY", empty, 1);
        EXPECT_EQ(sample_error(server),
                  "openai wants a key (401), and none was sent, because the environment variable OPENAI_API_KEY is not "
                  "set; put the key there" +
                      said);
    }
    EXPECT_EQ(sample_error(server, {{"key_env", "HONE_NOBODYS_KEY"}}),
              "openai wants a key (401), and none was sent, because the environment variable HONE_NOBODYS_KEY is not "
              "set; put the key there" +
                  said);
    EXPECT_EQ(sample_error(server, {{"key_env", "none"}}),
              "openai wants a key (401), and none was sent, because key_env is \"none\"; name there the environment "
              "variable that holds the key" +
                  said);
    EXPECT_EQ(sample_error(server, {{"model", "mine/m"}}),
              "mine wants a key (401), and none was sent, because key_env names no environment variable; name there "
              "the one that holds the key" +
                  said);
}

TEST_F(HttpPolicy, AFlaggedPromptIsOneRefusal) {
    const Json error = {{"message", "Your input was flagged"}, {"code", 403}, {"metadata", {{"reasons", {"x"}}}}};
    const ScriptedServer server(Json{{"steps", {{{"status", 403}, {"body", {{"error", error}}}}}}}.dump());
    PolicyPart part("http", options(server, {{"concurrency", 1}}));
    const auto answers = part.sample(questions(2));
    EXPECT_EQ(answers.at({0, 0}).finish, HONE_REFUSAL);
    EXPECT_EQ(answers.at({0, 0}).text,
              "openai/gpt-test, after 1 try: 403: a filter of the provider refused the prompt: Your input was flagged");
    EXPECT_EQ(answers.at({1, 0}).text, "an answer");
    const ScriptedServer whole(Json{{"then", {{"body", {{"error", error}}}}}}.dump());
    PolicyPart other("http", options(whole));
    EXPECT_EQ(other.ask({.messages = {{"user", "q"}}}).finish, HONE_REFUSAL) << "with status 200";
    EXPECT_EQ(whole.requests().size(), 1u);
}

}  // namespace
}  // namespace hone
