// Processes that wait for candidates: scripts take the place of hone-jail-cuda, which needs a GPU to wait.
#include <gtest/gtest.h>
#include <unistd.h>
#include <chrono>
#include <thread>
#include "base/paths.hpp"
#include "parts/handle.hpp"
#include "sandbox/services.hpp"
#include "verifier_cuda/runner/runners.hpp"

namespace hone {
namespace {

class CudaRunners : public ::testing::Test {
protected:
    CudaRunners() : services_({}, 15) {
        set_bench_services(services_.offer());
        handle_ = std::make_unique<Handle>(make_recipe("verifier", "cuda", Json::object(), "test"));
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    // Each leaves a file named by its argument and its number, then does what `then` says.
    std::string script(const std::string& then) {
        const std::string path = folder_ / "runner";
        write_file(path, "#!/bin/sh\n: > " + (folder_ / "device-").string() + "$1-$$\n" + then + "\n");
        fs::permissions(path, fs::perms::owner_all);
        return path;
    }
    long begun() const {
        return std::count_if(fs::directory_iterator(folder_), fs::directory_iterator(), [](const auto& entry) {
            return entry.path().filename().string().starts_with("device-3-");
        });
    }
    // Whether so many have begun, given time.
    bool begin(long n) const {
        for (int i = 0; i < 1000 && begun() < n; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        return begun() == n;
    }
    Host host() const { return Host(handle_->host()); }

    HostServices services_;
    std::unique_ptr<Handle> handle_;
    // tests run beside each other
    const fs::path folder_ = fs::path(testing::TempDir()) / ("hone-cuda-runners-" + std::to_string(getpid()));
};

TEST_F(CudaRunners, AreMadeAheadAndReplacedWhenTaken) {
    cuda::Runners runners(host(), script("exec sleep 60"), "3", 2);
    EXPECT_TRUE(begin(2));
    const cuda::RunnerProcess one = runners.take();
    EXPECT_TRUE(one.lives(Out(nullptr)));
    runners.prepare();
    EXPECT_TRUE(begin(3));
    const cuda::RunnerProcess two = runners.take();
    EXPECT_TRUE(two.lives(Out(nullptr)));
    runners.prepare();
    EXPECT_TRUE(begin(4));
}

TEST_F(CudaRunners, OneThatDiedWhileItWaitedIsNotHandedOut) {
    const std::string fragile = (folder_ / "fragile").string();
    write_file(fragile, "");
    cuda::Runners runners(host(), script("[ -e " + fragile + " ] && exit 1; exec sleep 60"), "3", 2);
    EXPECT_TRUE(begin(2));
    fs::remove(fragile);
    const cuda::RunnerProcess one = runners.take();
    EXPECT_TRUE(one.lives(Out(nullptr)));
    runners.prepare();
    EXPECT_TRUE(begin(5));  // the one taken, and two that wait
}

TEST_F(CudaRunners, NoneAreMadeAheadUnlessAskedFor) {
    cuda::Runners runners(host(), script("exec sleep 60"), "3", 0);
    EXPECT_EQ(begun(), 0);
    const cuda::RunnerProcess one = runners.take();
    EXPECT_TRUE(one.lives(Out(nullptr)));
    EXPECT_TRUE(begin(1));
}

}  // namespace
}  // namespace hone
