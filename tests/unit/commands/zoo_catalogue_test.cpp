// The page of known cheats and the folders of attacks must tell of each other.
#include <gtest/gtest.h>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>
#include "base/json.hpp"
#include "base/paths.hpp"
#include "domain/judgement.hpp"
#include "judge/call/defences.hpp"
#include "lua/task_file.hpp"
#include "test_folders.hpp"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr int numbers = 132;
const fs::path source = HONE_TEST_SOURCE_DIR;

struct Tier {
    const char *name, *folder, *program;
    const char* heading;  // above its table
    bool whole;           // its table has all numbers; else those that it tries and those that the host tier cannot
    bool lists;           // the defence of an attack may be a list of checks, one behind the other
};
constexpr Tier host{"Host", "tests/exploits", "candidate.cpp", "## The host tier", true, false},
    device{"Device", "tests/gpu/zoo", "candidate.cu", "## The device tier", true, false},
    python{"Python", "tests/python/zoo", "candidate.py", "## The Python tier", false, true};

std::vector<std::string> cells(const std::string& line) {
    std::vector<std::string> found;
    std::istringstream in(line);
    std::string cell;
    std::getline(in, cell, '|');  // before the first bar
    while (std::getline(in, cell, '|')) {
        const std::size_t begin = cell.find_first_not_of(' '), end = cell.find_last_not_of(' ');
        found.push_back(begin == std::string::npos ? "" : cell.substr(begin, end - begin + 1));
    }
    return found;
}

// Number -> text of the last column. A number that stands twice is a failure.
std::map<int, std::string> read_page(const Tier& tier) {
    std::map<int, std::string> rows;
    std::istringstream page(read_file(source / "docs/cheats.md"));
    bool inside = false;
    for (std::string line; std::getline(page, line);) {
        if (line.starts_with("## ")) inside = line == tier.heading;
        const std::vector<std::string> row = cells(line);
        if (!inside || row.size() < 2 || row[0].find_first_not_of("0123456789") != std::string::npos) continue;
        EXPECT_TRUE(rows.emplace(std::stoi(row[0]), row.back()).second) << row[0] << " stands twice";
        EXPECT_FALSE(row[1].empty()) << row[0] << " has no name";
        EXPECT_FALSE(row.back().empty()) << row[0] << " says neither who tries it nor why nobody can";
    }
    return rows;
}

// What stands between backticks and is written like an attack's name.
std::set<std::string> names_in(const std::string& text) {
    std::set<std::string> names;
    for (std::size_t at = text.find('`'); at != std::string::npos;) {
        const std::size_t end = text.find('`', at + 1);
        const std::string name = text.substr(at + 1, end - at - 1);
        if (name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789") == std::string::npos) names.insert(name);
        at = text.find('`', end + 1);
    }
    return names;
}

std::map<std::string, Json> read_attacks(const Tier& tier) {
    std::map<std::string, Json> attacks;
    for (const auto& entry : fs::directory_iterator(source / tier.folder))
        if (fs::exists(entry.path() / "about.json"))
            attacks[entry.path().filename()] = Json::parse(read_file(entry.path() / "about.json"));
    return attacks;
}

class ZooCatalogue : public ::testing::TestWithParam<Tier> {};
INSTANTIATE_TEST_SUITE_P(Tiers, ZooCatalogue, ::testing::Values(host, device, python),
                         [](const auto& tier) { return tier.param.name; });

// What the host tier leaves to programs of another kind.
bool needs_another_tier(const std::string& text) {
    return text.find("needs an interpreter") != std::string::npos ||
           text.find("needs a value-returning interface") != std::string::npos;
}

TEST_P(ZooCatalogue, HasEachNumberOnce) {
    const std::map<int, std::string> rows = read_page(GetParam());
    for (const auto& [number, text] : read_page(host))
        EXPECT_TRUE(rows.contains(number) || !(GetParam().whole || needs_another_tier(text)))
            << number << " is missing";
    for (const auto& [number, text] : rows) EXPECT_TRUE(1 <= number && number <= numbers) << number;
    if (GetParam().whole) EXPECT_EQ(rows.size(), static_cast<std::size_t>(numbers));
}

TEST_P(ZooCatalogue, NamesOnlyAttacksThatThereAre) {
    const std::map<std::string, Json> attacks = read_attacks(GetParam());
    for (const auto& [number, text] : read_page(GetParam()))
        for (const std::string& name : names_in(text))
            EXPECT_TRUE(attacks.contains(name)) << number << " names " << name;
}

TEST_P(ZooCatalogue, IsNamedByEveryAttack) {
    const std::map<int, std::string> rows = read_page(GetParam());
    for (const auto& [name, about] : read_attacks(GetParam())) {
        EXPECT_FALSE(about.at("catalogue").empty()) << name << " tries no known cheat";
        for (const int number : about.at("catalogue")) {
            ASSERT_TRUE(rows.contains(number)) << name << " cites " << number;
            EXPECT_TRUE(names_in(rows.at(number)).contains(name))
                << name << " cites " << number << ", whose row does not name it";
        }
    }
}

// What has to be off for an attack to win has one name (judge/call/defences.hpp); layers behind each other share
// theirs. The Python tier may name several.
TEST_P(ZooCatalogue, EveryAttackSaysWhatStopsIt) {
    for (const auto& [name, about] : read_attacks(GetParam())) {
        EXPECT_FALSE(about.contains("defences")) << name;
        EXPECT_NE(about.contains("defence"), about.contains("harmless"))
            << name << " names no defence, or one that it does not need";
        if (!about.contains("defence")) continue;
        EXPECT_NO_THROW(parse_defences(about.at("defence"), name));
        EXPECT_TRUE(GetParam().lists || about.at("defence").get<std::string>().find(',') == std::string::npos) << name;
    }
}

// Of the device tier nothing more is seen without a GPU.
TEST_P(ZooCatalogue, EveryAttackIsWhole) {
    const Tier& tier = GetParam();
    const fs::path folder = source / tier.folder;
    std::set<std::string> tasks;
    for (const Task& task : load_suite(folder.string())) tasks.insert(task.name());
    for (const auto& [name, about] : read_attacks(tier)) {
        EXPECT_TRUE(fs::exists(folder / name / tier.program)) << name;
        EXPECT_TRUE(tasks.contains(about.at("task"))) << name << " attacks a task that zoo.lua lacks";
        EXPECT_NO_THROW(parse_verdict(about.at("verdict"))) << name;
        EXPECT_EQ(about.contains("defence"), about.contains("wins")) << name;
        const std::string plain =
            "plain/" + about.at("task").get<std::string>() + fs::path(tier.program).extension().string();
        EXPECT_TRUE(!about.value("against", false) || fs::exists(folder / plain)) << name << " needs " << plain;
    }
}

TEST(ZooDefences, AreAllAttacked) {
    std::set<std::string> attacked;
    for (const auto& [name, about] : read_attacks(host))
        if (about.contains("defence")) {
            attacked.insert(about.at("defence"));
            attacked.merge(parse_defences(about.at("defence"), name));
        }
    for (const auto& [name, about] : read_attacks(device))  // on the host nothing prepacks
        if (about.value("defence", "") == "constants-alone") attacked.insert("constants-alone");
    // a write between its look and the next comes microseconds after the end: none hits that at each call
    attacked.insert("early-sample");
    // JudgeTimer.AnAnswerAheadOfItsCallIsOfNoUse: the zoo's timers read one call at a time
    attacked.insert("late-inputs");
    // JudgeFake.HostCodeGainsNothingBesideTheClock: CPU programs command no device
    attacked.merge(std::set<std::string>{"apart", "last-look"});
    for (const Defence& defence : defences)
        EXPECT_TRUE(attacked.contains(defence.name)) << defence.name << " stops no attack";
}

}  // namespace
}  // namespace hone
