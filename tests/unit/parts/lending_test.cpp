// A key that a document cannot have, and a role that a message cannot have, end the call with words.
#include <gtest/gtest.h>
#include <cmath>
#include "domain/candidate.hpp"
#include "domain/documents.hpp"
#include "domain/judgement.hpp"
#include "error_text.hpp"
#include "parts/prompt.hpp"
#include "parts/shaper.hpp"
#include "test_folders.hpp"

namespace hone {
namespace {

Recipe misreader(const std::string& interface_name, const Json& options = Json::object()) {
    const PartFile file{
        interface_name, "misreader", HONE_TEST_FIXTURE_DIR "/faulty/" + interface_name + ".misreader.so", {}};
    const Library library = Library::open(file);
    return {interface_name, "misreader", file.path.string(), library.file_hash(),
            check_options(library.options(), options, "test")};
}

std::string written(const std::string& what) {
    const Json task = {{"name", "t"}, {"inputs", {{{"name", "a"}, {"shape", {4, "C"}}}}}},
               exemplar = {{"code", "c"}, {"passed", true}, {"speedup", {{"baseline", "reference"}, {"estimate", 2}}}};
    return error_text([&] { Prompt(misreader("prompt", {{"what", what}})).write(task, {exemplar}, 1); });
}

TEST(Lending, AMisspeltKeyIsAnError) {
    EXPECT_EQ(written("option"),
              "prompt \"misreader\": create: the part's table of options has no \"limt\"; did you mean \"limit\"?");
    EXPECT_EQ(written("task"),
              "prompt \"misreader\": write: hone.Task has no \"inputs.0.dtyp\"; did you mean \"inputs.0.dtype\"?; "
              "hone/documents.md has every key");
    EXPECT_EQ(written("exemplar"),
              "prompt \"misreader\": write: hone.Exemplar has no \"speedup.lowr\"; did you mean \"speedup.lower\"?; "
              "hone/documents.md has every key");
    EXPECT_EQ(error_text([] {
                  Shaper(misreader("shaper")).shape({Json{{"verdict", "PASSED"}}});
              }),
              "shaper \"misreader\": shape: hone.Judgement has no \"log_speedup.lowr\"; did you mean "
              "\"log_speedup.lower\"?; hone/documents.md has every key");
    EXPECT_EQ(written("fine"), "(no error)") << "keys that may be absent, and a verifier's own";
}

TEST(Lending, AKeyOfAnotherKindIsAnError) {
    const std::string part = "prompt \"misreader\": write: ", page = "; hone/documents.md has every key";
    EXPECT_EQ(written("record"), part + "`speedup` is a record; did you mean `speedup.estimate`?" + page);
    EXPECT_EQ(written("flag"), part + "`passed` is true or false; read it by `num`" + page);
    EXPECT_EQ(written("name"), part + "`inputs.0.name` is a text; read it by `text`" + page);
    EXPECT_EQ(written("open"), "(no error)") << "a size is a number or a name";
}

TEST(Lending, NullIsNoKey) {
    const std::string part = "prompt \"misreader\": ", path = "asks a document for a null path; name a key";
    EXPECT_EQ(written("null-option"), part + "create: " + path);
    EXPECT_EQ(written("null-path"), part + "write: " + path);
    EXPECT_EQ(written("null-document"), part + "write: asks a null document; ask one that the call was given");
    const auto told = [](const char* what) {
        return error_text([&] { Prompt(misreader("prompt", {{"what", what}})).facts(); });
    };
    EXPECT_EQ(told("null-number"), part + "facts: fills in a null key; name it");
    EXPECT_EQ(told("null-text"), part + "facts: fills in a null key; name it");
    EXPECT_EQ(told("null-log"), "(no error)");
}

TEST(Lending, AMisspeltRoleIsAnError) {
    EXPECT_EQ(written("role"),
              "prompt \"misreader\": write: a message has the role \"sytem\"; did you mean \"system\"? (roles: system, "
              "user, assistant, plain); \"\" is ready-rendered text");
    EXPECT_EQ(written("capital"),
              "prompt \"misreader\": write: a message has the role \"User\"; did you mean \"user\"? (roles: system, "
              "user, assistant, plain); \"\" is ready-rendered text");
}

TEST(Lending, APromptAsksInUtf8) {
    const std::string silent =
        "prompt \"misreader\": write: puts no message of the user's, which a model would answer; give the task in a "
        "message with the role \"user\"";
    EXPECT_EQ(written("silence"), silent);
    EXPECT_EQ(written("nothing"), silent);
    EXPECT_EQ(written("blank"), silent);
    EXPECT_EQ(written("bytes"), "prompt \"misreader\": write: the text of message 0 is no UTF-8");
}

TEST(Lending, AShaperGivesNumbersAndReasonsInUtf8) {
    const auto shaped = [](const char* what) {
        return error_text([&] { Shaper(misreader("shaper", {{"what", what}})).shape({Json{{"verdict", "PASSED"}}}); });
    };
    const std::string part = "shaper \"misreader\": shape: ";
    EXPECT_EQ(shaped("bytes"), part + "the reason of answer 0 is no UTF-8");
    EXPECT_EQ(shaped("null"), part + "the reason of answer 0 is null, with a length; give its bytes, or a length of 0");
    EXPECT_EQ(shaped("infinite"),
              part + "answer 0 got an infinite reward; give a finite number, or NaN to leave the answer out");
    try {
        shaped("fails");
        ADD_FAILURE() << "no answer of the group is shaped";
    } catch (const PartFailed& e) {
        EXPECT_EQ(e.what(), part + "its table is not there");
    }
}

TEST(Lending, RewardsThatAreNotWrittenAreCountedOnce) {
    Shaper shaper(misreader("shaper", {{"what", "unwritten"}}));
    const std::vector<Json> group(3, Json{{"verdict", "PASSED"}});
    testing::internal::CaptureStderr();
    for (int i = 0; i < 2; ++i) {
        const std::vector<Reward> rewards = shaper.shape(group);
        EXPECT_TRUE(std::isnan(rewards[0].value) && rewards[1].value == 0 && std::isnan(rewards[2].value));
    }
    EXPECT_EQ(
        testing::internal::GetCapturedStderr(),
        "shaper \"misreader\": shape: wrote no reward for 2 of 3 answers: they are left out; write NaN where that "
        "is meant\n");
}

TEST(Lending, PathsFollowTheTablesOfDocuments) {
    for (const char* path : {"name", "inputs", "inputs.3.shape.0", "hidden.0.R", "shape.R", "ranges.R.1", "terms.0",
                             "tolerance.class", "device.op.anything", "brief.own", "baseline_program.cpu"})
        EXPECT_EQ(misspelt_key("hone.Task", path), "") << path;
    EXPECT_EQ(misspelt_key("hone.Task", "outputs.name"), "hone.Task has no \"outputs.name\"");
    EXPECT_EQ(misspelt_key("hone.Task", "tolerance.clas"),
              "hone.Task has no \"tolerance.clas\"; did you mean \"tolerance.class\"?");
    EXPECT_EQ(misspelt_key("hone.Task", "brief.txt"), "hone.Task has no \"brief.txt\"; did you mean \"brief.text\"?");
    EXPECT_EQ(misspelt_key("hone.Task", "brief.isa"), "");  // a verifier's own
    EXPECT_EQ(misspelt_key("hone.Task", "name.first"), "hone.Task has no \"name.first\"");
    EXPECT_EQ(misspelt_key("hone.Task", "inptus.0.name"),
              "hone.Task has no \"inptus.0.name\"; did you mean \"inputs.0.name\"?");
}

}  // namespace
}  // namespace hone
