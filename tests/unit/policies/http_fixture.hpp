// policy.http with an address of a scripted server, a configuration and a key of the test's own.
#pragma once
#include <gtest/gtest.h>
#include <unistd.h>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include "policy_fixture.hpp"
#include "scripted_server.hpp"

namespace hone::test {

inline const std::string key = "sk-secret-0123456789";

class HttpPolicy : public ::testing::Test {
protected:
    HttpPolicy() {
        mkdtemp(folder_);
        setenv("HONE_CONFIG", (folder() + "/hone.toml").c_str(), 1);
        setenv("OPENAI_API_KEY", key.c_str(), 1);
        unsetenv("OPENAI_BASE_URL");
        config("");
        PolicyPart::logged().clear();
    }
    ~HttpPolicy() override {
        for (const char* name : {"HONE_CONFIG", "OPENAI_API_KEY", "OPENAI_BASE_URL"}) unsetenv(name);
        std::filesystem::remove_all(folder_);
    }
    std::string folder() const { return folder_; }
    void config(const std::string& text) const { std::ofstream(folder() + "/hone.toml") << text; }
    static Json options(const ScriptedServer& server, Json more = Json::object()) {
        Json all = {{"model", "openai/gpt-test"}, {"base_url", server.base_url()}, {"backoff", 0.01}};
        all.update(more);
        return all;
    }
    static std::string refusal(const Json& options) {
        try {
            PolicyPart part("http", options);
        } catch (const std::runtime_error& e) {
            return e.what();
        }
        return "no error";
    }
    static std::string sample_error(const ScriptedServer& server, const Json& more = Json::object()) {
        PolicyPart part("http", options(server, more));
        try {
            part.ask({.messages = {{"user", "q"}}});
        } catch (const std::runtime_error& e) {
            return e.what();
        }
        return "no error";
    }

    // "name=value" a line; numbers by name alone.
    static std::string facts_of(const PolicyPart& part) {
        std::string facts;
        hone_out out{
            &facts, [](void* to, const char* name, double) { *static_cast<std::string*>(to) += name; },
            [](void* to, const char* name, hone_text value) {
                static_cast<std::string*>(to)->append(name).append("=").append(value.at, value.len).append("\n");
            }};
        part.check(part.functions().facts(part.self(), &out));
        return facts;
    }

private:
    char folder_[32] = "/tmp/hone_http_XXXXXX";
};

}  // namespace hone::test
