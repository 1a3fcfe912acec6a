#include "commands/command.hpp"
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include "base/paths.hpp"
#include "commands/exit_codes.hpp"
#include "commands/settings.hpp"
#include "error_text.hpp"

namespace hone {
namespace {

const Command sample{"sample",
                     "TASK [FILE]",
                     "does a thing",
                     "",
                     {{"--against", "FILE", "compare"}, {"--json", "", "as JSON"}},
                     [](const Arguments&) { return 0; }};

std::string refusal(const std::vector<std::string>& words) {
    return error_text([&] { parse_arguments(sample, words); });
}

TEST(Command, WordsAndFlagsInAnyOrder) {
    const Arguments a =
        parse_arguments(sample, {"--json", "softmax", "--against", "x.cpp", "--against=y.cpp", "--", "--file"});
    EXPECT_EQ(a.at(0), "softmax");
    EXPECT_EQ(a.at(1), "--file");
    EXPECT_TRUE(a.has("--json"));
    EXPECT_EQ(a.value("--against"), "y.cpp");
    EXPECT_EQ(a.values("--against"), (std::vector<std::string>{"x.cpp", "y.cpp"}));
}

// A value in brackets is the next word only where that word looks like one.
TEST(Command, AValueMayBeLeftOut) {
    Command command = sample;
    command.flags.push_back({"--sweep", "[SIZES]", "a table"});
    EXPECT_EQ(parse_arguments(command, {"--sweep", "a"}).at(0), "a");
    EXPECT_TRUE(parse_arguments(command, {"a", "--sweep"}).has("--sweep"));
    EXPECT_EQ(parse_arguments(command, {"--sweep", "C=1,2", "a"}).value("--sweep"), "C=1,2");
    EXPECT_EQ(parse_arguments(command, {"--sweep=C=1,2", "a"}).value("--sweep"), "C=1,2");
    EXPECT_EQ(parse_arguments(command, {"--sweep", "--json", "a"}).value("--sweep", "absent"), "");
}

TEST(Command, ErrorsNamePlaceCauseAndCure) {
    EXPECT_EQ(refusal({"a", "--jsom"}),
              "sample: no flag \"--jsom\"; did you mean \"--json\"?; see `hone sample --help`");
    EXPECT_EQ(refusal({}), "sample: too few arguments; usage: hone sample TASK [FILE] [flags]");
    EXPECT_EQ(refusal({"a", "b", "c"}), "sample: too many arguments; usage: hone sample TASK [FILE] [flags]");
    EXPECT_EQ(refusal({"a", "--against"}), "sample: --against needs a value; write --against FILE");
    EXPECT_EQ(refusal({"a", "--json=1"}), "sample: --json takes no value");
}

TEST(Command, ANameIsNoEmptyText) {
    for (const Command& command : all_commands())
        if (command.name == "run" || command.name == "repl")
            EXPECT_EQ(error_text([&] {
                          command.run(parse_arguments(command, {"none.lua", "--name", ""}));
                      }),
                      "--name: the name is empty; name the run, or leave --name out");
}

TEST(Command, HelpComesFromTheSameTable) {
    EXPECT_EQ(help_text(sample),
              "does a thing\n\nusage: hone sample TASK [FILE] [flags]\n\n"
              "  --against FILE  compare\n"
              "  --json          as JSON\n"
              "  --quiet         no progress and no talk on stderr\n"
              "  --help          show this text\n");
    for (const Command& command : all_commands())
        EXPECT_TRUE(command.hidden ||
                    overview_text(all_commands()).find("  " + command.name + " ") != std::string::npos);
}

TEST(Command, AnUnknownCommandIsAUsageError) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(run_program({"jugde", "x"}), 2);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "hone: no command \"jugde\"; did you mean \"judge\"?; see `hone --help`\n");
}

// One table: DESIGN.md, `hone --help` and `hone help exit-codes` cannot disagree.
TEST(Command, ExitCodesAreToldInOnePlace) {
    testing::internal::CaptureStdout();
    EXPECT_EQ(run_program({"help", "exit-codes"}), 0);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), exit_codes_text());
    const std::string design = read_file(examples_folder().parent_path() / "DESIGN.md"),
                      overview = overview_text(all_commands());
    for (const ExitCode& row : exit_codes()) {
        EXPECT_NE(design.find("| " + std::to_string(row.code) + " | " + row.meaning + " |\n"), std::string::npos)
            << row.code;
        EXPECT_NE(overview.find(std::to_string(row.code) + ' ' + row.in_short), std::string::npos) << row.code;
    }
}

TEST(Command, WhoAsksForJsonGetsErrorsInIt) {
    testing::internal::CaptureStderr();
    testing::internal::CaptureStdout();
    EXPECT_EQ(run_program({"tasks", "cpu-basics/softmx", "--json"}), 3);
    EXPECT_NE(testing::internal::GetCapturedStderr(), "");
    const Json doc = Json::parse(testing::internal::GetCapturedStdout());
    EXPECT_EQ(doc["schema"], "hone.error/1");
    EXPECT_EQ(doc["exit_code"], 3);
    for (const char* key : {"place", "cause", "cure"}) EXPECT_TRUE(doc[key].is_string()) << key;
    EXPECT_NE(doc["cause"].get<std::string>().find("softmax"), std::string::npos) << doc;
}

// Exit code and standard error of a command whose standard output is this file descriptor, which is closed.
std::pair<int, std::string> run_into(int output, const std::vector<std::string>& words) {
    std::fflush(stdout);
    const int before = dup(STDOUT_FILENO);
    dup2(output, STDOUT_FILENO);
    close(output);
    testing::internal::CaptureStderr();
    const int code = run_program(words);
    dup2(before, STDOUT_FILENO);
    close(before);
    std::clearerr(stdout);
    return {code, testing::internal::GetCapturedStderr()};
}

// A long text is written in parts, and the last part may have nothing left to fail with.
TEST(Command, AFullDiskIsToldHoweverLongTheOutputIs) {
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"--version"}, {"api"}, {"tasks", "--json"}}) {
        const auto [code, told] = run_into(open("/dev/full", O_WRONLY), words);
        EXPECT_EQ(code, 4) << words[0];
        EXPECT_EQ(told, "hone: standard output: cannot be written; is the disk full?\n") << words[0];
    }
}

TEST(Command, AReaderMayGoAway) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    close(ends[0]);
    EXPECT_EQ(run_into(ends[1], {"api"}), std::pair(0, std::string()));
}

TEST(Command, SettingsAreTextsUntilTheirOptionsKindIsKnown) {
    const Json settings =
        parse_settings({"judge.precision=0.01", "verifier.compiler=clang++", "judge.seed=7"}, {"judge", "verifier"});
    EXPECT_EQ(settings["judge"]["precision"], "0.01");
    EXPECT_EQ(settings["verifier"]["compiler"], "clang++");
    EXPECT_EQ(in_kinds_of("verifier", "cpp", {{"flags", "42"}, {"threads", "2"}, {"no_such", "1"}}),
              Json({{"flags", "42"}, {"threads", 2}, {"no_such", "1"}}));
    EXPECT_EQ(error_text([] {
                  parse_settings({"jugde.seed=7"}, {"judge", "verifier"});
              }),
              "--set: no part \"jugde\"; did you mean \"judge\"?");
    EXPECT_EQ(error_text([] {
                  parse_settings({"my-meter.mode=nan"}, {"judge", "verifier"});
              }),
              "--set: no part \"my-meter\"; there are judge and verifier");
}

}  // namespace
}  // namespace hone
