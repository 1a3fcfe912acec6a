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

}  // namespace
}  // namespace hone
