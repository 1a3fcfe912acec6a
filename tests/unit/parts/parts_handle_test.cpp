#include <gtest/gtest.h>
#include <filesystem>
#include "error_text.hpp"
#include "parts/handle.hpp"
#include "test_folders.hpp"

namespace hone {
namespace {

Recipe recipe_of(const std::string& interface_name, const std::string& id, const Json& options) {
    const std::filesystem::path file =
        std::filesystem::path(HONE_TEST_FIXTURE_DIR) / "good" / (interface_name + "." + id + ".so");
    const Library library = Library::open({interface_name, id, file, {}});
    return {interface_name, id, file, library.file_hash(), check_options(library.options(), options, "test")};
}

const hone_timer& timer_of(const Handle& handle) { return *static_cast<const hone_timer*>(handle.part().functions); }

hone_rc time_in_mood(const Handle& handle) {
    hone_run run{};
    hone_sample sample{};
    return timer_of(handle).time(handle.self(), &run, &sample);
}

template <class Kind, class Body> std::string told_by(Body&& body) {
    try {
        body();
    } catch (const Kind& e) {
        return e.what();
    }
    return "(nothing)";
}

template <class Kind> std::string raised(const char* mood) {
    const Handle handle(recipe_of("timer", "moody", {{"mood", mood}}));
    return told_by<Kind>([&] { handle.check(time_in_mood(handle), "time"); });
}

TEST(Handle, CodesBecomeExceptionsThatNamePartAndFunction) {
    EXPECT_EQ(raised<std::exception>("fine"), "(nothing)");
    EXPECT_EQ(raised<Error>("refuse"), "timer \"moody\": time: not attached");
    EXPECT_EQ(raised<PartFailed>("fail"), "timer \"moody\": time: the clock stepped back");
    EXPECT_EQ(raised<PartBroken>("break"), "timer \"moody\": time: the device fell off the bus");
    EXPECT_EQ(raised<PartBroken>("throw"), "timer \"moody\": time: index 7");
}

TEST(Handle, ACodeWithoutATextOrAMeaningIsStillTold) {
    const Handle handle(recipe_of("timer", "moody", {}));
    const std::string silent = " and told no reason; a part tells one by host->fail(host->ctx, code, text)";
    EXPECT_EQ(error_text([&] { handle.check(HONE_REFUSED, "time"); }),
              "timer \"moody\": time: returned 1 (HONE_REFUSED)" + silent);
    EXPECT_EQ(told_by<PartFailed>([&] { handle.check(HONE_FAILED, "time"); }),
              "timer \"moody\": time: returned 2 (HONE_FAILED)" + silent);
    EXPECT_EQ(told_by<PartBroken>([&] { handle.check(17, "time"); }),
              "timer \"moody\": time: returned 17, which is no code of hone_rc (0 to 3)");
    handle.host()->fail(handle.host()->ctx, -5, "error 0x1f of the device");
    EXPECT_EQ(told_by<PartBroken>([&] { handle.check(-5, "time"); }),
              "timer \"moody\": time: error 0x1f of the device: returned -5, which is no code of hone_rc (0 to 3)");
    // each text belongs to one failure: the next one does not inherit it
    EXPECT_EQ(handle.host()->fail(handle.host()->ctx, HONE_FAILED, "once"), HONE_FAILED);
    EXPECT_THROW(handle.check(HONE_FAILED, "time"), PartFailed);
    EXPECT_EQ(error_text([&] { handle.check(HONE_REFUSED, "time"); }),
              "timer \"moody\": time: returned 1 (HONE_REFUSED)" + silent);
}

TEST(Handle, CreationMayBeRefused) {
    const Recipe recipe = recipe_of("timer", "moody", {{"mood", "unborn"}});
    EXPECT_EQ(error_text([&] { Handle handle(recipe); }), "timer \"moody\": create: no such device");
}

TEST(Handle, AFileThatChangedSinceIsRefused) {
    Recipe recipe = recipe_of("timer", "moody", {});
    recipe.file_hash[0] = recipe.file_hash[0] == '0' ? '1' : '0';
    EXPECT_EQ(error_text([&] { Handle handle(recipe); }),
              recipe.file + ": changed since the script named it; start the run again");
}

TEST(Handle, MovesWithoutMovingTheHost) {
    Handle first(recipe_of("timer", "moody", {{"mood", "fail"}}));
    const hone_host* host = first.host();
    const Handle second(std::move(first));
    EXPECT_EQ(second.host(), host);
    EXPECT_THROW(second.check(time_in_mood(second), "time"), PartFailed);
}

Json probe(const std::vector<Json>& judgements, std::vector<double>& rewards) {
    const Handle handle(recipe_of("shaper", "probe", {}));
    std::vector<const hone_doc*> docs;
    for (const Json& judgement : judgements) docs.push_back(as_doc(judgement));
    rewards.assign(docs.size(), 0);
    Collect reasons;
    const auto& functions = *static_cast<const hone_shaper*>(handle.part().functions);
    handle.check(functions.shape(handle.self(), docs.data(), static_cast<std::uint32_t>(docs.size()), rewards.data(),
                                 reasons.out()),
                 "shape");
    return reasons.json();
}

TEST(Handle, PartsReadDocumentsByPath) {
    std::vector<double> rewards;
    const Json judgement =
        Json::parse(R"({"verdict": "PASSED", "passed": true, "keys": [1, 2, 3], "speedup": {"lower": 1.5}})");
    const Json seen = probe({judgement, Json::object()}, rewards);
    EXPECT_EQ(rewards[0], 1.5);
    EXPECT_TRUE(std::isnan(rewards[1]));
    EXPECT_EQ(seen["0"], "PASSED||3|1|-1");
    EXPECT_EQ(seen["1"], "||-1|0|-1");
    EXPECT_EQ(seen["builds"], "no");
}

TEST(Handle, HostServicesAreThoseOfTheProcess) {
    std::vector<double> rewards;
    std::atomic<bool> stop = true;
    set_stop_flag(&stop);
    BenchServices services;
    services.build = [](void*, const char* const* argv, const hone_file*, uint32_t, const char*,
                        hone_out* out) -> hone_rc {
        out->text(out->ctx, "product", {argv[0], 8});
        return HONE_OK;
    };
    set_bench_services(services);
    const Json seen = probe({}, rewards);
    EXPECT_EQ(seen["stop"], "yes");
    EXPECT_EQ(seen["builds"], "yes");
    EXPECT_EQ(seen["product"], "/usr/bin");
    services.build = [](void*, const char* const*, const hone_file*, uint32_t, const char*, hone_out*) -> hone_rc {
        throw PartFailed("no compiler");
    };
    set_bench_services(services);
    EXPECT_THROW(probe({}, rewards), PartFailed);  // it crossed the part as a code
    set_bench_services({});
    set_stop_flag(nullptr);
}

}  // namespace
}  // namespace hone
