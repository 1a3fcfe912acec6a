// What no clock can read is told from what an honest one reads on a busy machine.
#include "judge/call/readings.hpp"
#include <gtest/gtest.h>

namespace hone {
namespace {

constexpr RunTimes of_reference{1e-3, 2e-3, true}, of_candidate{1e-3, 2e-3, false};

Readings of(Meter meter) {
    Readings readings;
    readings.begin(std::move(meter));
    return readings;
}

// What is said at last of so many readings.
std::string says(Readings readings, int n, double value, const RunTimes& run, double step = 0) {
    std::string said;
    for (int i = 0; i < n && said.empty(); ++i) said = readings.add({value + step * i, 0, 0, 0}, run);
    return said;
}

TEST(Readings, MoreSecondsThanTheRunTookAreNone) {
    const Meter host{.unit = "s", .on_host = true};
    EXPECT_EQ(says(of(host), 1, 2, of_candidate),
              "gave 2 s for a run that took 2 ms by the bench's clock; its unit is \"s\", of seconds");
    EXPECT_EQ(says(of(host), 1, 4e-3, of_candidate), "");
    EXPECT_EQ(says(of({.unit = "s", .resolution = 0.5}), 1, 0.5, of_candidate), "") << "one step of a coarse clock";
    EXPECT_EQ(says(of({.unit = "s", .parallel = 8}), 1, 1.6e-2, of_candidate), "") << "processor time of eight threads";
    EXPECT_EQ(says(of({.unit = "J"}), 1, 2, of_candidate), "");
    EXPECT_EQ(says(of({.unit = "s", .is_virtual = true}), 1, 2, of_candidate), "");
    Readings forged = of(host);
    EXPECT_EQ(forged.add({2, 0, 1e-3, 1e-6}, of_candidate), "") << "the program's own word, which has its own judge";
}

TEST(Readings, FarTooFewSecondsOfTheReferenceAreNone) {
    const Meter host{.unit = "s", .on_host = true};
    EXPECT_EQ(says(of(host), 15, 1e-6, of_reference, 1e-9), "");
    EXPECT_EQ(says(of(host), 16, 1e-6, of_reference, 1e-9),
              "gave at most 0.1 % of the bench's time in all of 16 runs of the reference; its unit is \"s\", of all "
              "calls of a run together");
    EXPECT_EQ(says(of(host), 64, 1e-6, of_candidate, 1e-9), "") << "which may wait for its start";
    EXPECT_EQ(says(of({.unit = "s"}), 64, 1e-6, of_reference, 1e-9), "") << "a device works beside the bench";
    Readings busy = of(host);
    EXPECT_EQ(busy.add({6e-5, 0, 0, 0}, of_reference), "");
    EXPECT_EQ(says(busy, 64, 1e-6, of_reference, 1e-9), "") << "the machine was busy, once it was not";
}

TEST(Readings, TheSameNumberAgainAndAgainIsNone) {
    const std::string said = "gave exactly 1 mJ in 20 of 20 readings, and tells no \"resolution\" that explains it";
    EXPECT_EQ(says(of({.unit = "J"}), 19, 1e-3, of_candidate), "");
    EXPECT_EQ(says(of({.unit = "J"}), 20, 1e-3, of_candidate), said);
    EXPECT_EQ(says(of({.unit = "J", .resolution = 1e-9}), 20, 1e-3, of_candidate), said) << "a million steps";
    EXPECT_EQ(says(of({.unit = "J", .resolution = 1e-6}), 64, 1e-3, of_candidate), "");
    Readings coarse = of({.unit = "J"});
    for (int i = 0; i < 64; ++i) EXPECT_EQ(coarse.add({i % 8 ? 1e-3 : 1.1e-3, 0, 0, 0}, of_candidate), "") << i;
    EXPECT_EQ(says(of({.unit = "instruction"}), 64, 1e6, of_candidate), "") << "counts may repeat";
}

TEST(Readings, DiscardsAreToldWhereTheyAreHalf) {
    Readings readings = of({.unit = "s"});
    EXPECT_EQ(readings.discards(), "");
    for (const bool discard : {false, true, true, false}) readings.add({1e-3, discard, 0, 0}, of_candidate);
    EXPECT_EQ(readings.discards(), "discarded 2 of 4 readings");
    readings.add({1e-3, 0, 0, 0}, of_candidate);
    EXPECT_EQ(readings.discards(), "");
    readings.add({1e-3, 1, 0, 0}, of_candidate);
    readings.begin_judging();
    EXPECT_EQ(readings.discards(), "") << "of another judging";
}

}  // namespace
}  // namespace hone
