// What the CUDA runner and a compiling child of hone-nvrtc may still do once they are locked. Neither needs a GPU or
// NVRTC.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <memory>
#include <thread>
#include "base/paths.hpp"
#include "cuda/compile/nvrtc_lock.hpp"
#include "cuda/compile/nvrtc_page.hpp"
#include "hone/landlock.hpp"
#include "verifier_cuda/runner/runner_lock.hpp"

namespace hone {
namespace {

enum Ending { kept = 0, lost = 1, unlocked = 2 };

// How a child ends that locks itself and then tries: kept if try_it() holds, else the exit code or minus the signal.
template <class Lock, class Try> int after(Lock&& lock, Try&& try_it) {
    const pid_t child = fork();
    if (child == 0) _exit(!lock() ? unlocked : try_it() ? kept : lost);
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

bool runs_a_thread() {
    int done = 0;
    std::thread([&] { done = 1; }).join();
    return done == 1;
}

bool refused(long result, int error) { return result < 0 && errno == error; }

void* map(int protection, int flags) {
    return mmap(nullptr, 4096, protection, flags | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

bool lock_runner() { return cuda::lock_runner(); }

TEST(RunnerLock, LeavesWhatADriverNeeds) {
    EXPECT_EQ(after(lock_runner, runs_a_thread), kept);
    EXPECT_EQ(after(lock_runner, [] { return map(PROT_READ | PROT_WRITE, 0) != MAP_FAILED; }), kept);
    EXPECT_EQ(after(lock_runner, [] { return memfd_create("driver", 0) >= 0; }), kept);
}

TEST(RunnerLock, KillsWhatReachesOthers) {
    EXPECT_EQ(after(lock_runner, [] { return socket(AF_UNIX, SOCK_STREAM, 0) >= 0; }), -SIGSYS);
    EXPECT_EQ(after(lock_runner, [] { return kill(getppid(), 0) == 0; }), -SIGSYS);
    EXPECT_EQ(after(lock_runner, [] { return fork() >= 0; }), -SIGSYS);
    EXPECT_EQ(after(lock_runner, [] { return execl("/bin/true", "true", nullptr) == 0; }), -SIGSYS);
}

TEST(RunnerLock, LeavesNoPowersAndNoFiles) {
    EXPECT_EQ(after(lock_runner, [] { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0; }), kept);
    EXPECT_EQ(after(lock_runner, [] { return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1; }), kept);
    EXPECT_EQ(after(lock_runner, [] { return refused(chroot("/"), EPERM); }), kept);
    if (!landlock::version()) GTEST_SKIP() << "no Landlock on this machine";
    EXPECT_EQ(after(lock_runner, [] { return refused(open("/etc/hostname", O_RDONLY), EACCES); }), kept);
}

// Libraries of strangers ask for what they can do without.
TEST(RunnerLock, LetsLibrariesReadThemselves) {
    const fs::path folder = fs::path(testing::TempDir()) / ("hone-runner-lock-" + std::to_string(getpid()));
    fs::create_directories(folder);
    std::ofstream(folder / "library") << "x";
    const auto lock = [&] { return cuda::lock_runner({folder, folder / "not there"}); };
    EXPECT_EQ(after(lock, [&] { return open((folder / "library").c_str(), O_RDONLY) >= 0; }), kept);
    EXPECT_EQ(after(lock, [] { return refused(socket(AF_UNIX, SOCK_STREAM, 0), EPERM); }), kept);
    EXPECT_EQ(after(lock, [] { return refused(fork(), EPERM); }), kept);
    EXPECT_EQ(after(lock, runs_a_thread), kept);
    if (landlock::version()) {
        EXPECT_EQ(after(lock, [&] { return refused(open((folder / "library").c_str(), O_WRONLY), EACCES); }), kept);
        EXPECT_EQ(after(lock, [] { return refused(open("/etc/hostname", O_RDONLY), EACCES); }), kept);
    }
    fs::remove_all(folder);
}

class CompileLock : public ::testing::Test {
protected:
    CompileLock() {
        fs::create_directories(folder_ / "readable");
        fs::create_directories(folder_ / "all" / "work");
        std::ofstream(folder_ / "readable" / "header.h") << "x";
        lock_ = std::make_unique<cuda::Lock>(std::vector<std::string>{folder_ / "readable"}, folder_ / "all",
                                             folder_ / "all" / "work", 7);
    }
    ~CompileLock() { fs::remove_all(folder_); }
    template <class Try> int in_server(Try&& try_it) {
        return after([&] { return lock_->enter(); }, try_it);
    }
    template <class Try> int in_child(Try&& try_it) {
        return after([&] { return lock_->enter() && lock_->enter_child(); }, try_it);
    }
    bool opens(const char* path, int flags) const { return open((folder_ / path).c_str(), flags, 0600) >= 0; }

    const fs::path folder_ = fs::path(testing::TempDir()) / ("hone-compile-lock-" + std::to_string(getpid()));
    std::unique_ptr<cuda::Lock> lock_;
};

TEST_F(CompileLock, AChildReadsHeadersAndWritesItsOwnFolder) {
    EXPECT_EQ(in_child([&] { return opens("readable/header.h", O_RDONLY); }), kept);
    EXPECT_EQ(in_child([&] { return opens("all/work/file", O_WRONLY | O_CREAT); }), kept);
    EXPECT_EQ(in_child([&] { return raise(SIGABRT), false; }), -SIGABRT);
    if (!landlock::version()) GTEST_SKIP() << "no Landlock on this machine";
    EXPECT_EQ(in_server([&] { return opens("all/file", O_WRONLY | O_CREAT); }), kept);
    EXPECT_EQ(in_server([&] { return opens("file", O_WRONLY | O_CREAT); }), lost);
    EXPECT_EQ(in_child([&] { return opens("all/file", O_WRONLY | O_CREAT); }), lost) << "its siblings' folder";
    EXPECT_EQ(in_child([&] { return opens("readable/header.h", O_WRONLY); }), lost);
    EXPECT_EQ(in_child([] { return open("/etc/hostname", O_RDONLY) >= 0; }), lost);
}

TEST_F(CompileLock, AChildReachesNobodyAndRunsNothing) {
    EXPECT_EQ(in_child([] { return refused(socket(AF_UNIX, SOCK_STREAM, 0), EPERM); }), kept);
    EXPECT_EQ(in_child([] { return refused(fork(), EPERM); }), kept);
    EXPECT_EQ(in_child([] { return refused(kill(getppid(), 0), EPERM); }), kept);
    EXPECT_EQ(in_child([] { return refused(execl("/bin/true", "true", nullptr), EPERM); }), kept);
    EXPECT_EQ(in_child([] { return map(PROT_READ | PROT_EXEC, 0) == MAP_FAILED; }), kept);
    EXPECT_EQ(in_child([] { return map(PROT_READ | PROT_WRITE, 0) != MAP_FAILED; }), kept);
}

TEST_F(CompileLock, AChildHasLimits) {
    const auto is = [](__rlimit_resource which, rlim_t soft, rlim_t hard) {
        rlimit now;
        return getrlimit(which, &now) == 0 && now.rlim_cur == soft && now.rlim_max == hard;
    };
    EXPECT_EQ(in_child([&] { return is(RLIMIT_CPU, 7, 9); }), kept);
    EXPECT_EQ(in_child([&] { return is(RLIMIT_FSIZE, cuda::compile_files, cuda::compile_files); }), kept);
    EXPECT_EQ(in_child([] {
                  rlimit now;
                  return getrlimit(RLIMIT_AS, &now) == 0 && now.rlim_cur >= cuda::compile_memory &&
                         now.rlim_max == now.rlim_cur;
              }),
              kept);
    EXPECT_EQ(in_child([] {
                  const rlimit stack{1 << 20, 1 << 20};
                  return setrlimit(RLIMIT_STACK, &stack) == 0 && refused(setrlimit(RLIMIT_CPU, &stack), EPERM);
              }),
              kept);
}

}  // namespace
}  // namespace hone
