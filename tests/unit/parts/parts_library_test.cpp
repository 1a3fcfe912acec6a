#include <gtest/gtest.h>
#include <cstdlib>
#include <filesystem>
#include "error_text.hpp"
#include "hone/abi.h"
#include "parts/handle.hpp"
#include "parts/library.hpp"
#include "test_folders.hpp"

namespace hone {
namespace {

const std::filesystem::path fixtures = HONE_TEST_FIXTURE_DIR;

std::string refusal(const std::string& id) {
    const PartFile file{"timer", id, fixtures / "wrong" / ("timer." + id + ".so"), {}};
    return error_text([&] { Library::open(file); });
}

std::string at(const std::string& id, const std::string& text) {
    return (fixtures / "wrong" / ("timer." + id + ".so: ")).string() + text;
}

TEST(Library, ListsFilesByAddressWithoutOpeningThem) {
    const std::vector<PartFile> files = list_parts({fixtures / "good", fixtures / "other", fixtures / "absent"});
    ASSERT_EQ(files.size(), 2u);
    EXPECT_EQ(files[0].interface_name, "shaper");
    EXPECT_EQ(files[1].id, "moody");
    EXPECT_EQ(files[1].path, fixtures / "good/timer.moody.so");
    EXPECT_EQ(files[1].hides, fixtures / "other/timer.moody.so");
    EXPECT_TRUE(files[0].hides.empty());
}

TEST(Library, WhatIsNotFoundIsAnsweredWithFoldersAndTheNearestName) {
    const std::vector<std::filesystem::path> folders = {"/nowhere", fixtures / "good"};
    EXPECT_EQ(error_text([&] { find_part("timer", "mody", folders); }),
              "timer \"mody\": there is no such part in /nowhere, " + (fixtures / "good").string() +
                  "; did you mean \"moody\"?");
    EXPECT_EQ(error_text([&] { find_part("timer", "probe", folders); }),
              "timer \"probe\": there is no such part in /nowhere, " + (fixtures / "good").string() +
                  "; `hone plugins` lists what there is");
}

TEST(Library, RefusalsNameFileBothVersionsAndTheCure) {
    const std::string ours = "this is hone " HONE_VERSION " with ABI 1.0; ";
    EXPECT_EQ(refusal("old-major"), at("old-major", "was built for hone ABI 0.0, " + ours +
                                                        "build the part again with the headers of this hone"));
    EXPECT_EQ(refusal("newer-minor"),
              at("newer-minor", "was built for hone ABI 1.1, " + ours +
                                    "update hone, or build the part with the headers of this one"));
    EXPECT_EQ(
        refusal("next-revision"),
        at("next-revision",
           "serves hone.timer/2, this hone knows hone.timer/1; build the part again with the headers of this hone"));
}

TEST(Library, RefusalsOfDescriptorsThatLie) {
    const std::string rename = "; rename the file or the part: a part is found by its file's name";
    EXPECT_EQ(refusal("no-entry"),
              at("no-entry", "exports no hone_part_entry; name the part with a HONE_ macro of hone/plugin.hpp"));
    EXPECT_EQ(refusal("other-id"), at("other-id", "calls itself timer.another.so" + rename));
    EXPECT_EQ(refusal("other-interface"), at("other-interface", "calls itself shaper.other-interface.so" + rename));
    EXPECT_EQ(refusal("small-descriptor"),
              at("small-descriptor", "its descriptor says 16 bytes, ABI 1.0 has " + std::to_string(sizeof(hone_part)) +
                                         "; set its size to sizeof(hone_part)"));
    EXPECT_EQ(refusal("long-functions"),
              at("long-functions", "its functions say " + std::to_string(sizeof(hone_timer) + 8) +
                                       " bytes, hone.timer/1 has " + std::to_string(sizeof(hone_timer)) +
                                       "; set their size to that of the header's struct"));
    EXPECT_EQ(refusal("no-function"),
              at("no-function",
                 "lacks the function \"time\", which hone.timer/1 requires; the header of hone.timer/1 "
                 "tells which are optional"));
    EXPECT_EQ(refusal("no-text"),
              at("no-text", "its descriptor lacks a text; fill interface_id, id, version, summary and built_with"));
    EXPECT_EQ(
        refusal("odd-option"),
        at("odd-option", "option \"speed\": there is no kind \"colour\"; kinds: bool, int, num, text, choice, path"));
    EXPECT_EQ(
        refusal("odd-preset"),
        at("odd-preset", "option \"speed\": its preset \"fast\" is no whole number; give a preset that it allows"));
    EXPECT_EQ(refusal("odd-range"),
              at("odd-range",
                 "option \"speed\": what it allows, \"1-5\", is no range; write least..most, such "
                 "as 1..5; an end may be left out"));
    EXPECT_EQ(refusal("twin-option"),
              at("twin-option", "option \"speed\": stands twice in the table; give each option a name of its own"));
    EXPECT_EQ(refusal("odd-extension"), at("odd-extension",
                                           "names the extension \"hone.timer.tmining/1\", which this hone does not "
                                           "know; extensions of a timer: none"));
    EXPECT_EQ(refusal("missing").substr(0, at("missing", "cannot be opened: ").size()),
              at("missing", "cannot be opened: "));
}

TEST(Library, AFileThatWasCutOffIsNotLoaded) {
    const std::string whole = read_file(fixtures / "faulty/policy.mutant.so");
    const fs::path cut = fs::temp_directory_path() / ("policy.cut-" + std::to_string(getpid()) + ".so");
    write_file(cut, whole.substr(0, 6000));
    const std::string said = error_text([&] { Library::open({"policy", "cut", cut, {}}); });
    fs::remove(cut);
    EXPECT_EQ(said.substr(0, said.find(" of ")), cut.string() + ": is cut off: it has 6000");
}

TEST(Library, AShorterStructOfFunctionsLacksItsTail) {
    const Library old = Library::open({"timer", "short-functions", fixtures / "wrong/timer.short-functions.so", {}});
    const auto* functions = static_cast<const hone_timer*>(old.part().functions);
    EXPECT_TRUE(HONE_OFFERS(functions, time));
    EXPECT_FALSE(HONE_OFFERS(functions, facts));
}

TEST(Recipe, ChecksOptionsOnTheSpotAndTravels) {
    setenv("HONE_PLUGIN_PATH", (fixtures / "good").c_str(), 1);
    const Recipe recipe = make_recipe("timer", "moody", Json::object(), "demo.lua:4");
    EXPECT_EQ(recipe.options, Json::parse(R"({"mood": "fine"})"));
    EXPECT_EQ(recipe.file_hash.size(), 64u);
    EXPECT_EQ(Recipe::from_json(recipe.to_json()).to_json(), recipe.to_json());
    EXPECT_EQ(error_text([] {
                  make_recipe("timer", "moody", {{"mod", "fine"}}, "demo.lua:4");
              }),
              "demo.lua:4: timer \"moody\": no option \"mod\"; did you mean \"mood\"? (options: mood)");
    unsetenv("HONE_PLUGIN_PATH");
}

}  // namespace
}  // namespace hone
