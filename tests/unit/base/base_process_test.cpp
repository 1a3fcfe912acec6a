#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <sstream>
#include <thread>
#include "base/frames.hpp"
#include "base/process.hpp"
#include "error_text.hpp"

namespace hone {
namespace {

SpawnPlan shell(const std::string& script, std::vector<std::pair<int, int>> files = {}) {
    SpawnPlan plan;
    plan.argv = {"/bin/sh", "-c", script};
    plan.files = std::move(files);
    plan.environment = {"PATH=/usr/bin:/bin", "COLOUR=blue"};
    return plan;
}

std::string all_of(int fd) {
    std::string text;
    char block[4096];
    for (ssize_t n; (n = read(fd, block, sizeof block)) > 0;) text.append(block, static_cast<std::size_t>(n));
    return text;
}

std::string output_of(const std::string& script) {
    auto [from, to] = make_pipe();
    Child child(shell(script, {{to.get(), 1}}));
    to.close();
    return all_of(from.get());
}

TEST(Child, TellsItsExitStatus) {
    Child child(shell("exit 3"));
    int status = 0;
    ASSERT_TRUE(child.wait(10, &status));
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 3);
    EXPECT_FALSE(child.running());
}

TEST(Child, HasExactlyTheEnvironmentAndFilesOfItsPlan) {
    const Fd inherited(dup(0));
    EXPECT_EQ(output_of("echo $COLOUR; echo $HOME"), "blue\n\n");
    EXPECT_EQ(output_of("ls /proc/self/fd | wc -l"), "4\n");  // 0, 1, 2 and the folder that ls reads
    EXPECT_EQ(output_of("readlink /proc/self/fd/0"), "/dev/null\n");
}

TEST(Child, DescriptorsMayBeSwapped) {
    auto [from1, to1] = make_pipe();
    auto [from2, to2] = make_pipe();
    const int a = to1.get(), b = to2.get();
    Child child(shell("echo one >&" + std::to_string(b) + "; echo two >&" + std::to_string(a), {{a, b}, {b, a}}));
    to1.close();
    to2.close();
    EXPECT_EQ(all_of(from1.get()), "one\n");
    EXPECT_EQ(all_of(from2.get()), "two\n");
}

TEST(Child, AProgramThatIsMissingIsAnErrorHere) {
    SpawnPlan plan;
    plan.argv = {"/nowhere/tool"};
    EXPECT_EQ(error_text([&] { Child child(plan); }), "/nowhere/tool: cannot be started: No such file or directory");
}

TEST(Child, KillReachesGrandchildren) {
    auto [from, to] = make_pipe();
    {
        Child child(shell("sleep 100 & echo ready; wait", {{to.get(), 1}}));
        to.close();
        char line[6];
        ASSERT_EQ(read(from.get(), line, sizeof line), 6);
        EXPECT_FALSE(child.wait(0, nullptr));
    }
    EXPECT_EQ(all_of(from.get()), "");  // ends only when the last holder of the pipe has died
}

TEST(Child, DiesWithTheThreadThatMadeIt) {
    auto [from, to] = make_pipe();
    pid_t pid = 0;
    std::thread([&, &out = to] {
        auto* leaked = new Child(shell("exec sleep 100", {{out.get(), 1}}));  // its destructor would kill too
        pid = leaked->pid();
        ::new (leaked) Child();
        operator delete(leaked);
    }).join();
    to.close();
    EXPECT_EQ(all_of(from.get()), "");
    int status = 0;
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFSIGNALED(status));
}

TEST(Child, InChildRunsBeforeTheProgram) {
    auto [from, to] = make_pipe();
    SpawnPlan plan = shell("ulimit -n", {{to.get(), 1}});
    plan.in_child = [] {
        const rlimit limit{37, 37};
        return setrlimit(RLIMIT_NOFILE, &limit) == 0;
    };
    Child child(plan);
    to.close();
    EXPECT_EQ(all_of(from.get()), "37\n");
}

TEST(Child, IsNotStartedWhereInChildFails) {
    auto [from, to] = make_pipe();
    SpawnPlan plan = shell("echo started", {{to.get(), 1}});
    plan.in_child = [] {
        errno = EPERM;
        return false;
    };
    EXPECT_EQ(error_text([&] { Child child(plan); }),
              "/bin/sh: is not started, its confinement failed: Operation not permitted");
    to.close();
    EXPECT_EQ(all_of(from.get()), "");
}

TEST(Frames, TravelWhole) {
    auto [from, to] = make_pipe();
    write_frame(to.get(), {{{"type", "hello"}, {"text", "\xff bad"}}, std::string("a\0b", 3)});
    write_frame(to.get(), {{{"type", "bye"}}, ""});
    const auto first = read_frame(from.get(), 5), second = read_frame(from.get(), 5);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->header["type"], "hello");
    EXPECT_EQ(first->header["text"], "\xef\xbf\xbd bad");  // U+FFFD: JSON is UTF-8 whatever a compiler printed
    EXPECT_EQ(first->blob, std::string("a\0b", 3));
    EXPECT_EQ(second->header["type"], "bye");
    EXPECT_FALSE(read_frame(from.get(), 0));
    EXPECT_FALSE(readable(from.get(), 0));
    to.close();
    EXPECT_TRUE(readable(from.get(), 0));
    EXPECT_FALSE(read_frame(from.get(), 0));
}

TEST(Frames, AreAssembledFromPieces) {
    auto [from, to] = make_pipe();
    write_frame(to.get(), {{{"n", 1}}, "blob"});
    write_frame(to.get(), {{{"n", 2}}, ""});
    to.close();
    FrameReader reader;
    std::vector<int> seen;
    for (const char c : all_of(from.get())) {
        reader.feed({&c, 1});
        while (const auto frame = reader.next()) seen.push_back(frame->header["n"]);
    }
    EXPECT_EQ(seen, (std::vector<int>{1, 2}));
}

std::string raw_frame(std::uint32_t header, std::uint32_t blob, const std::string& bytes) {
    std::string text(8, '\0');
    memcpy(text.data(), &header, 4);
    memcpy(text.data() + 4, &blob, 4);
    return text + bytes;
}

std::string refusal(const std::string& bytes) {
    return error_text([&] {
        FrameReader reader;
        reader.feed(bytes);
        reader.next();
    });
}

TEST(Frames, HostileBytesAreRefusedBeforeMemoryIsTaken) {
    EXPECT_EQ(refusal(raw_frame(0xffffffff, 0, "")), "frame: lengths 4294967295 and 0 are beyond the limits");
    EXPECT_EQ(refusal(raw_frame(2, 0, "[]")), "frame: header is no JSON object");
    EXPECT_EQ(refusal(raw_frame(2, 0, "{x")), "frame: header is no JSON object");
    const std::string deep = std::string(5'000, '[');
    EXPECT_EQ(refusal(raw_frame(5'000, 0, deep)), "frame: header is nested too deeply");
    auto [from, to] = make_pipe();
    ASSERT_EQ(write(to.get(), raw_frame(9, 0, "{").data(), 9), 9);
    to.close();
    EXPECT_EQ(error_text([&, &in = from] { read_frame(in.get(), 1); }), "frame: ended in its middle");
}

TEST(StolenSeconds, AreThoseOfOneCore) {
    const auto of = [](int core) {
        std::istringstream stat(
            "cpu  9 9 9 9 9 9 9 900 0 0\ncpu0 1 2 3 4 5 6 7 150 0 0\ncpu1 1 2 3 4 5 6 7 250 0 0\ncpu11 1 2 3\nintr "
            "5\n");
        return stolen_seconds(stat, core);
    };
    const auto tick = 1 / static_cast<double>(sysconf(_SC_CLK_TCK));
    EXPECT_DOUBLE_EQ(of(0), 150 * tick);
    EXPECT_DOUBLE_EQ(of(1), 250 * tick);
    EXPECT_EQ(of(11), 0) << "not told";
    EXPECT_EQ(of(2), 0) << "no such core";
    EXPECT_GE(stolen_seconds(), 0);
}

TEST(Frames, AReaderThatIsGoneIsAnError) {
    auto [from, to] = make_pipe();
    from.close();
    EXPECT_EQ(error_text([&, &out = to] {
                  write_frame(out.get(), {Json::object(), ""});
              }),
              "frame: the other end is gone: Broken pipe");
}

}  // namespace
}  // namespace hone
