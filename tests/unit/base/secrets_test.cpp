// Which variables of the environment hold keys.
#include "base/secrets.hpp"
#include <gtest/gtest.h>
#include <unistd.h>
#include <cstdlib>
#include <filesystem>
#include "base/paths.hpp"
#include "error_text.hpp"

namespace hone {
namespace {

TEST(Secrets, AreKnownByTheEndOfTheirNamesOrByName) {
    const std::vector<std::string> entries = {"PATH=/bin",      "OPENAI_API_KEY=sk", "HF_TOKEN=hf",
                                              "APP_SECRET=s=1", "ACME_PASS=hunter2", "KEYBOARD=us",
                                              "MONKEY=banana",  "A=B_KEY=c"};
    EXPECT_EQ(without_secrets(entries, {"ACME_PASS"}),
              (std::vector<std::string>{"PATH=/bin", "KEYBOARD=us", "MONKEY=banana", "A=B_KEY=c"}));
}

TEST(Secrets, TheConfigurationNamesMore) {
    const fs::path file = fs::temp_directory_path() / ("hone-secrets-" + std::to_string(getpid()) + ".toml");
    setenv("HONE_CONFIG", file.c_str(), 1);
    write_file(file, "[provider.acme]\nkey_env = \"ACME_PASS\"\n[provider.vllm]\nconcurrency = 4\n");
    EXPECT_EQ(named_secrets(), std::set<std::string>{"ACME_PASS"});
    write_file(file, "[provider.acme]\nkey_env = \n");
    EXPECT_EQ(error_text([] { named_secrets(); }).find(file.string() + ": "), 0u);
    EXPECT_NE(error_text([] { named_secrets(); })
                  .find("(line 2); correct the file: the environment variables that it names as keys are kept from the "
                        "judge"),
              std::string::npos);
    fs::remove(file);
    unsetenv("HONE_CONFIG");
}

}  // namespace
}  // namespace hone
