// json paths, hashes, random streams, statistics.
#include <gtest/gtest.h>
#include <cmath>
#include "base/hash.hpp"
#include "base/json.hpp"
#include "base/paths.hpp"
#include "base/random.hpp"
#include "base/stats.hpp"
#include "error_text.hpp"

namespace hone {
namespace {

TEST(FindPath, WalksTablesAndLists) {
    const Json doc =
        Json::parse(R"({"speedup": {"lower": 1.5}, "inputs": [{"name": "a"}, {"name": "b"}], "none": null})");
    EXPECT_EQ(find_path(doc, "speedup.lower")->get<double>(), 1.5);
    EXPECT_EQ(*find_path(doc, "inputs.1.name"), "b");
    EXPECT_EQ(find_path(doc, ""), &doc);
    EXPECT_TRUE(find_path(doc, "none")->is_null());
    for (const char* absent : {"inputs.2.name", "inputs.x", "inputs.1x", "speedup.lower.more", "inputs.-1"})
        EXPECT_EQ(find_path(doc, absent), nullptr) << absent;
}

TEST(Hash, Sha256OfKnownTexts) {  // FIPS 180-4 examples
    EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Hash, FileHashIsThatOfItsBytes) {
    const fs::path path = fs::temp_directory_path() / ("hone-hash-" + std::to_string(fresh_seed()));
    const std::string bytes(200'000, '\x7f');
    write_file(path, bytes);
    EXPECT_EQ(sha256_file(path), sha256(bytes));
    EXPECT_EQ(read_file(path), bytes);
    fs::remove(path);
    EXPECT_EQ(error_text([&] { sha256_file(path); }), path.string() + ": cannot be read: No such file or directory");
    EXPECT_EQ(error_text([&] { read_file(path); }), path.string() + ": cannot be read: No such file or directory");
    EXPECT_EQ(error_text([&] { read_file("/"); }), "/: cannot be read: Is a directory");
    const std::string link = path.string() + ".link";
    std::filesystem::create_symlink(path, link);
    write_file(link, "by a link");
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_EQ(read_file(path), "by a link");
    write_file("/dev/null", "into a device");
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
    EXPECT_EQ(error_text([&] { write_file("/nowhere/x", "y"); }),
              "/nowhere/x: cannot be written: No such file or directory");
}

TEST(TemporaryFolder, ThatIsNotThereIsNamedWithItsVariable) {
    const char* const before = getenv("TMPDIR");
    const std::string kept = before ? before : "";
    setenv("TMPDIR", "/nosuch", 1);
    EXPECT_EQ(error_text([] { temporary_folder(); }),
              "TMPDIR=/nosuch: no folder for temporary files: No such file or directory; set TMPDIR to a writable "
              "folder");
    before ? setenv("TMPDIR", kept.c_str(), 1) : unsetenv("TMPDIR");
    EXPECT_EQ(temporary_folder(), fs::temp_directory_path());
}

TEST(Random, MatchesThePublishedGenerator) {  // splitmix64 from 0, then xoshiro256**, computed with the authors' C code
    Random random(0);
    EXPECT_EQ(random.bits(), 0x99ec5f36cb75f2b4u);
    EXPECT_EQ(random.bits(), 0xbf6e1f784956452au);
}

TEST(Random, StreamsDependOnSeedAndNameOnly) {
    Random root(7), used(7);
    used.bits();
    EXPECT_EQ(root.split("a").bits(), used.split("a").bits());
    EXPECT_EQ(root.split("a").bits(), Random(7, "a").bits());
    EXPECT_NE(Random(7, "a").bits(), Random(7, "b").bits());
    EXPECT_NE(Random(7, "a").bits(), Random(8, "a").bits());
}

TEST(Random, BelowIsEvenAndUniformKeepsToItsRange) {
    Random random(1);
    int counts[5] = {};
    for (int i = 0; i < 50'000; ++i) ++counts[random.below(5)];
    for (const int count : counts) EXPECT_NEAR(count, 10'000, 450);  // five deviations
    double least = 1, most = 0;
    for (int i = 0; i < 10'000; ++i) {
        const double u = random.uniform();
        least = std::min(least, u);
        most = std::max(most, u);
    }
    EXPECT_GE(least, 0);
    EXPECT_LT(least, 0.01);
    EXPECT_LT(most, 1);
    EXPECT_GT(most, 0.99);
}

TEST(Stats, AgreeWithHandWorkedCases) {
    const std::vector<double> x = {2, 4, 4, 4, 5, 5, 7, 9};
    EXPECT_DOUBLE_EQ(mean(x), 5);
    EXPECT_NEAR(deviation(x), std::sqrt(32.0 / 7), 1e-12);
    EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4}, 0.5), 2.5);
    EXPECT_DOUBLE_EQ(quantile({4, 1}, 1), 4);
    EXPECT_DOUBLE_EQ(trimmed_mean({100, 1, 2, 3, -50}, 0.2), 2);
    EXPECT_NEAR(student_quantile(0.975, 7), 2.364624, 1e-6);  // tables
    const Interval interval = mean_interval(x, 0.95);
    EXPECT_NEAR(interval.upper - interval.estimate, 2.364624 * std::sqrt(32.0 / 7 / 8), 1e-5);
    EXPECT_TRUE(std::isinf(mean_interval(std::vector<double>{3}, 0.95).upper));
}

}  // namespace
}  // namespace hone
