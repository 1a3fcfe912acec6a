// timer.perf and timer.rapl: by counters that every machine has, by counters that are files, and their refusals.
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <unistd.h>
#include <cmath>
#include <filesystem>
#include <thread>
#include "base/paths.hpp"
#include "base/stats.hpp"
#include "error_text.hpp"
#include "judge/call/bench_parts.hpp"
#include "judge/call/settings.hpp"
#include "judge/service/judge.hpp"
#include "lua/task_file.hpp"
#include "timer/thread_counters.hpp"

namespace hone {
namespace {

const hone_device host{sizeof host, "cpu", 0, nullptr, nullptr};

// One call whose launch runs `work`.
double read(Timer& timer, const std::function<void()>& work) {
    struct Context {
        const std::function<void()>& work;
    } context{work};
    hone_run run{};
    run.size = sizeof run;
    run.ctx = &context;
    run.calls = 1;
    run.pid = getpid();
    run.launch = [](void* ctx, std::uint32_t) -> hone_rc { return static_cast<Context*>(ctx)->work(), HONE_OK; };
    run.wait = [](void*, double* inside) -> hone_rc { return *inside = NAN, HONE_OK; };
    return timer.time(run).value;
}

struct Packages {
    std::filesystem::path folder = testing::TempDir() + "hone-powercap-" + std::to_string(getpid());
    Packages() { std::filesystem::create_directories(folder); }
    ~Packages() { std::filesystem::remove_all(folder); }
    void name(const char* zone, const std::string& name) {
        std::filesystem::create_directories(folder / zone);
        write_file(folder / zone / "name", name + "\n");
    }
    void set(const char* name, const std::string& energy) {
        std::filesystem::create_directories(folder / name);
        write_file(folder / name / "energy_uj", energy + "\n");
        write_file(folder / name / "max_energy_range_uj", "1000000\n");
    }
    Timer timer() const { return Timer(make_recipe("timer", "rapl", {{"folder", folder.string()}}, "test")); }
};

TEST(ThreadCounters, AThreadThatStartsWithinACallIsCounted) {
    const perf::Event clock{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK};
    if (perf::refusal(clock)) GTEST_SKIP() << "nothing can be counted here";
    perf::ThreadCounters counters(getpid(), clock);
    std::string why;
    ASSERT_TRUE(counters.follow(why)) << why;
    const double before = counters.read();
    std::thread([] {
        for (timespec used{}; used.tv_nsec < 50'000'000; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used)) {
        }
    }).join();
    EXPECT_GT(counters.read() - before, 40e6);  // nanoseconds: the thread's own
}

TEST(TimerRapl, AddsThePackagesAndGoesRound) {
    Packages packages;
    packages.set("intel-rapl:0", "900000"), packages.name("intel-rapl:0", "package-0");
    packages.set("intel-rapl:1", "5000"), packages.name("intel-rapl:1", "package-1");
    packages.set("intel-rapl:0:0", "77"), packages.name("intel-rapl:0:0", "core");  // a part of package 0
    Timer timer = packages.timer();
    timer.attach(host);
    EXPECT_EQ(timer.unit(), "J");
    EXPECT_NEAR(timer.least_window(), 0.05, 1e-12);
    const double joules = read(timer, [&] {
        packages.set("intel-rapl:0", "100000");  // round
        packages.set("intel-rapl:1", "6500");
        packages.set("intel-rapl:0:0", "99999");
    });
    EXPECT_NEAR(joules, 0.2015, 1e-9);
}

TEST(TimerRapl, CountsEachPackageOnceAndNotThePlatform) {
    Packages packages;
    const std::pair<const char*, const char*> zones[] = {
        {"intel-rapl:0", "package-0"}, {"intel-rapl-mmio:0", "package-0"}, {"intel-rapl:1", "psys"}};
    for (const auto& [zone, name] : zones) packages.set(zone, "1000"), packages.name(zone, name);
    Timer timer = packages.timer();
    timer.attach(host);
    const double joules = read(timer, [&] {
        for (const auto& [zone, name] : zones) packages.set(zone, "201000");
    });
    EXPECT_NEAR(joules, 0.2, 1e-9);
    EXPECT_EQ(timer.facts()["packages"], 1);
}

TEST(TimerRapl, RefusesWhereThereIsNoCounter) {
    Packages packages;
    const std::string folder = packages.folder.string();
    EXPECT_EQ(
        error_text([&] { packages.timer().attach(host); }),
        "timer \"rapl\": attach: timer.rapl: this machine tells no energy: nothing like intel-rapl:0 is in " + folder);
    packages.set("intel-rapl:0", "unreadable"), packages.name("intel-rapl:0", "package-0");
    EXPECT_EQ(error_text([&] { packages.timer().attach(host); }),
              "timer \"rapl\": attach: timer.rapl cannot read " + folder +
                  "/intel-rapl:0/energy_uj: let this user read it (chmod a+r)");
}

Recipe perf(const char* counter) { return make_recipe("timer", "perf", {{"counter", counter}}, "test"); }

TEST(TimerPerf, RefusesWhereThereIsNoCounter) {
    const auto why = perf::refusal({PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS});
    if (!why) GTEST_SKIP() << "this machine counts instructions";
    Timer timer(perf("instructions"));
    EXPECT_EQ(error_text([&] { timer.attach(host); }),
              "timer \"perf\": attach: timer.perf cannot count instructions: " + *why);
    if (why->starts_with("this machine"))
        EXPECT_EQ(*why, "this machine has no such counter (a virtual machine seldom has one)");
}

TEST(TimerPerf, TheUnitIsTheCounters) {
    if (perf::refusal({PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK})) GTEST_SKIP() << "nothing can be counted here";
    Timer timer(perf("task-clock"));
    EXPECT_EQ(timer.unit(), "cycle") << "before the options are known to it";
    timer.attach(host);
    EXPECT_EQ(timer.unit(), "s");
}

// A candidate in a jail, whose process no clock of the bench sees inside.
TEST(TimerPerf, CountsTheCandidatesOwnProcess) {
    if (perf::refusal({PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK})) GTEST_SKIP() << "nothing can be counted here";
    const std::string file = testing::TempDir() + "hone-counted.lua";
    write_file(file, R"(return { name = "doubling", statement = "o = 2 a", spec = "doubling",
        inputs = { { name = "a", shape = { "N" } } }, outputs = { { name = "o", shape = { "N" } } }, shapes = { { N = 4096 } },
        hidden = { { N = 48 } }, reference = function(a) return array.map(function(x) return 2 * x end, a) end })");
    Judge judge({make_recipe("verifier", "cpp", {{"threads", 1}}, "test"), perf("task-clock"),
                 make_recipe("reference", "lua", Json::object(), "test"),
                 check_options(judge_options(), {{"benches", 1}, {"pairs", 16}}, "test")});
    judge.submit(1, load_task(file), make_candidate("doubling", "cpp", R"(
extern "C" void k(const float* a, float* o, long N) {
    for (long again = 0; again < 2000; again++) {
        for (long i = 0; i < N; i++) o[i] = 2 * a[i];
        __asm__ volatile("" : : "r"(o) : "memory");
    }
})"));
    const Judgement judgement = judge.collect(60)->second;
    if (judgement.reason.find("too busy") != std::string::npos) GTEST_SKIP() << judgement.reason;
    ASSERT_TRUE(judgement.passed()) << judgement.reason;
    const std::vector<double>&counted = judgement.samples->candidate, &own = judgement.samples->inside;
    EXPECT_GT(mean(counted), mean(own) / 2) << "the process works; the bench sleeps meanwhile";
}

}  // namespace
}  // namespace hone
