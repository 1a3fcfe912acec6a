// `hone models`: providers of a configuration, of which some answer.
#include <cstdlib>
#include <filesystem>
#include "command_line.hpp"
#include "policies/scripted_server.hpp"
#include "test_folders.hpp"

namespace hone {
namespace {

using test::ScriptedServer;

const std::string secret_key = "secret-of-acme";

class Models : public ::testing::Test {
protected:
    Models() {
        mkdtemp(folder_);
        setenv("HONE_CONFIG", (std::string(folder_) + "/hone.toml").c_str(), 1);
        setenv("ACME_KEY", secret_key.c_str(), 1);
        for (const char* name : {"OPENAI_API_KEY", "OPENAI_BASE_URL"}) unsetenv(name);
    }
    ~Models() override {
        for (const char* name : {"HONE_CONFIG", "ACME_KEY"}) unsetenv(name);
        fs::remove_all(folder_);
    }
    void config(const std::string& text) const { write_file(std::string(folder_) + "/hone.toml", text); }
    static Json source(const Ran& ran, const std::string& name) {
        const Json document = Json::parse(ran.out);
        for (const Json& one : document.at("sources"))
            if (one.at("name") == name) return one;
        return {};
    }
    static std::string provider(const std::string& name, const ScriptedServer& server) {
        return "[provider." + name + "]\nbase_url = \"" + server.base_url() + "\"\nkey_env = \"ACME_KEY\"\n";
    }

private:
    char folder_[32] = "/tmp/hone_models_XXXXXX";
};

TEST_F(Models, WhoAnswersIsListedWithItsModels) {
    const ScriptedServer acme(R"({"then": {"body": {"data": [{"id": "b/2"}, {"id": "a"}, {"id": 7}]}}})"),
        google(R"({"then": {"body": {"models": [{"name": "models/g-3"}]}}})"),
        refuses(R"({"then": {"status": 401, "body": {"error": {"message": "no: secret-of-acme"}}}})");
    config(provider("acme", acme) + provider("google", google) + "protocol = \"gemini\"\n" +
           provider("locked", refuses));
    const Ran ran = run({"models", "--json"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(source(ran, "acme")["models"], Json::array({"acme/a", "acme/b/2"}));
    EXPECT_EQ(source(ran, "acme")["answers"], true);
    EXPECT_EQ(source(ran, "acme")["key"], "ACME_KEY, set");
    EXPECT_EQ(source(ran, "google")["models"], Json::array({"google/g-3"}));
    EXPECT_EQ(google.requests().at(0)["x-goog-api-key"], secret_key);
    EXPECT_EQ(source(ran, "locked")["answers"], false);
    EXPECT_EQ(source(ran, "locked")["said"], "401: no: [key]");
    EXPECT_EQ(source(ran, "openai")["answers"], nullptr) << "without its key nobody is asked";
    EXPECT_EQ(acme.requests().at(0)["target"], "/v1/models");
    EXPECT_EQ(ran.out.find(secret_key), std::string::npos);
}

TEST_F(Models, AsTextWithTheNamesOfOne) {
    const ScriptedServer acme(R"({"then": {"body": {"data": [{"id": "a"}]}}})");
    config(provider("acme", acme));
    const Ran one = run({"models", "acme"});
    EXPECT_EQ(one.code, 0) << one.err;
    EXPECT_NE(one.out.find("ACME_KEY, set  answers: 1 model\nacme/a\n"), std::string::npos) << one.out;
    const Ran all = run({"models", "--configured"});
    EXPECT_NE(all.out.find("\nopenai "), std::string::npos) << all.out;
    EXPECT_NE(all.out.find("OPENAI_API_KEY, not set      not asked: no key\n"), std::string::npos) << all.out;
    EXPECT_EQ(acme.requests().size(), 1u) << "--configured asks nobody";
    EXPECT_EQ(run({"models", "openai"}).code, 1) << "its key is not set";
    const Ran wrong = run({"models", "acmee"});
    EXPECT_EQ(wrong.code, 3);
    EXPECT_NE(wrong.err.find("models: no provider \"acmee\"; did you mean \"acme\"?"), std::string::npos) << wrong.err;
}

// Such as a gateway's page, with status 200.
TEST_F(Models, WhatIsNoListOfModelsIsNoAnswer) {
    const ScriptedServer page(R"({"then": {"body": "<html>log in: secret-of-acme</html>"}})"),
        fails(R"({"then": {"body": {"error": "no route"}}})"), empty(R"({"then": {"body": {"data": null}}})"),
        bare(R"({"then": {"body": [{"id": "a"}]}})");
    config(provider("page", page) + provider("fails", fails) + provider("empty", empty) + provider("bare", bare));
    const Ran ran = run({"models", "--json"});
    const std::string said =
        "no list of models comes from there: the address does not speak the protocol; correct "
        "base_url. It says: ";
    EXPECT_EQ(source(ran, "page")["answers"], false);
    EXPECT_EQ(source(ran, "page")["said"], said + "<html>log in: [key]</html>");
    EXPECT_EQ(source(ran, "fails")["said"], said + "{\"error\":\"no route\"}");
    EXPECT_EQ(source(ran, "empty")["answers"], true);
    EXPECT_EQ(source(ran, "bare")["models"], Json::array({"bare/a"}));
    EXPECT_EQ(run({"models", "page"}).code, 1);
}

TEST_F(Models, AKeyThatStandsInPlaceOfItsFileIsNotShown) {
    config("[provider.acme]\nbase_url = \"http://127.0.0.1:9/v1\"\nkey_file = \"sk-topsecret\"\n");
    const Ran ran = run({"models", "acme"});
    EXPECT_EQ(ran.code, 1);
    EXPECT_EQ((ran.out + ran.err).find("topsecret"), std::string::npos) << ran.out << ran.err;
    EXPECT_NE(ran.out.find("key_file, no key"), std::string::npos) << ran.out;
}

TEST_F(Models, AWrongConfigurationIsToldWhereItIs) {
    config("[provider.acme]\nbase_url = \"ftp://acme\"\n[provider.two]\nurl = 3\n");
    const Ran ran = run({"models", "--json", "--configured"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(source(ran, "acme")["said"], "base_url: \"ftp://acme\" must begin with https:// or http://");
    EXPECT_EQ(run({"models", "acme", "--configured"}).code, 1);
    EXPECT_NE(source(ran, "two")["said"].get<std::string>().find("provider.two has no key \"url\" (keys: base_url, "),
              std::string::npos);
}

}  // namespace
}  // namespace hone
