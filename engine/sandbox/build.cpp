#include "sandbox/build.hpp"
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/paths.hpp"
#include "hone/confine.hpp"
#include "hone/landlock.hpp"
#include "sandbox/filters.hpp"
#include "sandbox/sandbox.hpp"

namespace hone {
namespace {

constexpr int look_milliseconds = 50;  // between two looks at what a compiler takes
constexpr double nearly = 0.8;         // of a limit
constexpr double busy_machine = 3;     // seconds by the wall clock for one of processor time
constexpr rlim_t memory_bytes = rlim_t{2} << 30, file_bytes = rlim_t{128} << 20;  // a precompiled header has 60 MB
constexpr std::size_t log_bytes = 64 << 10, large_bytes = 1 << 20;
constexpr const char* prefix = "hone-build-";

// What compilers of a distribution need. /etc holds their alternatives and the loader's cache.
constexpr std::array readable = {"/usr/bin",     "/usr/lib",       "/usr/lib64",         "/usr/libexec",
                                 "/usr/include", "/usr/local/lib", "/usr/local/include", "/lib",
                                 "/lib64",       "/bin",           "/etc/alternatives",  "/etc/ld.so.cache"};

std::string find_program(const std::string& name) {
    if (name.find('/') != std::string::npos) return name;
    const char* search = std::getenv("PATH");
    std::istringstream folders(search ? search : "/usr/local/bin:/usr/bin:/bin");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (const std::string path = folder + "/" + name; access(path.c_str(), X_OK) == 0) return path;
    throw Error(Blame::environment, "build", "no program \"" + name + "\" on PATH",
                "install it or choose another: --set verifier.compiler=NAME");
}

// Whether `outer` is `inner` or lies above it.
bool holds(const fs::path& outer, const fs::path& inner) {
    return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

// A folder of which more is read than a compiler: the root, the user's home, what lies above it, and ~/.local.
bool is_personal(const fs::path& folder) {
    const char* home = std::getenv("HOME");
    const passwd* user = getpwuid(geteuid());
    for (const char* path : {"/", home ? home : "", user && user->pw_dir ? user->pw_dir : ""}) {
        std::error_code ignored;
        const fs::path own = fs::weakly_canonical(path, ignored);
        if (*path && (holds(folder, own) || (own != "/" && folder == own / ".local"))) return true;
    }
    return false;
}

// What a compiler outside of the distribution's folders needs of its installation: all of /opt/gcc-14, but of a home
// folder only what is a compiler's by its name.
std::vector<fs::path> toolchain_of(const std::string& program) {
    const fs::path file = fs::canonical(program), folder = file.parent_path(), root = folder.parent_path();
    if (root == "/usr" || root == "/") return {};
    std::vector<fs::path> parts = {is_personal(folder) ? file : folder};
    for (const char* part : {"lib/gcc", "lib64/gcc", "libexec/gcc", "lib/clang", "include/c++"})
        if (fs::is_directory(root / part)) parts.push_back(root / part);
    if (parts.size() > 1 && !is_personal(root)) return {root};
    return parts;
}

// What compilers say of themselves. Each is a whole line, and not believed alone: a program can put lines of its own
// among them (by newlines in names and texts). What it took, the kernel tells.
bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "g++: fatal error: Killed signal terminated program cc1plus", "g++: internal compiler error: CPU time limit exceeded
// signal terminated program cc1plus", "clang++: error: unable to execute command: Killed"
bool says_signal(std::string_view line, const std::string& driver, const std::string& signal) {
    for (const char* kind : {": fatal error: ", ": internal compiler error: "}) {
        const std::string gnu = driver + kind + signal + " signal terminated program ";
        if (line.starts_with(gnu)) return line.find(' ', gnu.size()) == std::string_view::npos;
    }
    return line == driver + ": error: unable to execute command: " + signal;
}

// "cc1plus: out of memory allocating 65536 bytes after a total of 4096 bytes"
bool says_allocating(std::string_view line) {
    constexpr std::string_view begin = "out of memory allocating ", end = " bytes", total = " bytes after a total of ";
    const std::size_t at = line.find(": ");
    if (at == std::string_view::npos || line.substr(0, at).find(' ') != std::string_view::npos) return false;
    line.remove_prefix(at + 2);
    if (!line.starts_with(begin) || !line.ends_with(end)) return false;
    line = line.substr(begin.size(), line.size() - begin.size() - end.size());
    const std::size_t middle = line.find(total);
    return middle == std::string_view::npos
               ? is_number(line)
               : is_number(line.substr(0, middle)) && is_number(line.substr(middle + total.size()));
}

bool says_no_memory(std::string_view line, const std::string& driver) {
    return says_signal(line, driver, "Killed") || says_allocating(line) ||
           line == "virtual memory exhausted: Cannot allocate memory" || line == "LLVM ERROR: out of memory" ||
           line == "terminate called after throwing an instance of 'std::bad_alloc'" ||
           line.ends_with("ld: final link failed: memory exhausted");
}

// The assembler and the linker give the system's words, "as: a.o: File too large", some in quotes.
bool says_too_large(std::string_view line, const std::string& driver) {
    return says_signal(line, driver, "File size limit exceeded") || line.ends_with(": File too large") ||
           line.ends_with(": 'File too large'");
}

template <class Says> bool any_line(const std::string& log, Says&& says) {
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);)
        if (says(line)) return true;
    return false;
}

std::string limit_text(double seconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%g s", seconds);
    return text;
}

// The largest address space that a child of `process`, or it, has had, in bytes; 0 where this cannot be seen.
std::uint64_t most_addresses(pid_t process) {
    std::uint64_t most = 0;
    const auto look = [&most](const std::string& pid) {
        std::ifstream status("/proc/" + pid + "/status");
        for (std::string line; std::getline(status, line);)
            if (line.starts_with("VmPeak:"))
                most = std::max<std::uint64_t>(most, std::strtoull(&line[7], nullptr, 10) << 10);
    };
    const std::string self = std::to_string(process);
    look(self);
    std::ifstream children("/proc/" + self + "/task/" + self + "/children");
    for (std::string pid; children >> pid;) look(pid);
    return most;
}

// What a run of a compiler took.
struct Taken {
    double worked = 0;            // seconds of processor time
    std::uint64_t addresses = 0;  // most_addresses
};

void judge_status(int status, double limit, const Taken& taken, const std::string& program, Built& built) {
    if (status == 0) return;
    const std::string driver = fs::path(program).filename();
    const auto says = [&](auto&& what) {
        return any_line(built.log, [&](const std::string& line) { return what(line, driver); });
    };
    const auto too_long = [](const std::string& line, const std::string& by) {
        return says_signal(line, by, "CPU time limit exceeded");
    };
    const bool killed = WIFSIGNALED(status);
    const int signal = killed ? WTERMSIG(status) : 0;
    if (signal == SIGXCPU || (taken.worked > nearly * limit && says(too_long)))
        built.verdict = "TIMEOUT", built.reason = "the compiler used more than " + limit_text(limit);
    else if (signal == SIGKILL || (taken.addresses > memory_bytes / 2 && says(says_no_memory)))
        built.verdict = "OUT_OF_MEMORY",
        built.reason = "the compiler needed more than " + std::to_string(memory_bytes >> 30) + " GiB";
    else if (says(says_too_large))
        built.verdict = "COMPILE_ERROR",
        built.reason = "the compiler wrote more than " + std::to_string(file_bytes >> 20) + " MiB";
    else
        built.verdict = "COMPILE_ERROR",
        built.reason =
            killed ? std::string("the compiler was ended by ") + strsignal(signal) : "the compiler refused it";
}

// Of the processes that have ended, and of theirs.
double seconds_of_children() {
    rusage used{};
    getrusage(RUSAGE_CHILDREN, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

}  // namespace

void sweep_build_folders() {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(fs::temp_directory_path(ignored), ignored)) {
        const std::string name = entry.path().filename();
        if (!name.starts_with(prefix)) continue;
        const pid_t owner = std::atoi(name.c_str() + std::strlen(prefix));
        if (owner > 0 && kill(owner, 0) != 0 && errno == ESRCH) fs::remove_all(entry.path(), ignored);
    }
}

Builder::Builder(const std::set<std::string>& without, double seconds) : without_(without), seconds_(seconds) {
    sweep_build_folders();
    std::string name = temporary_folder() / (prefix + std::to_string(getpid()) + "-XXXXXX");
    if (!mkdtemp(name.data()))
        throw Error(Blame::environment, name, std::string("cannot be made: ") + std::strerror(errno),
                    "set TMPDIR to a writable folder");
    folder_ = name;
    work_ = folder_ / "work";
    store_ = folder_ / "store";
    fs::create_directory(work_);
    fs::create_directory(store_);
}

Builder::~Builder() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

std::optional<int> Builder::ruleset_for(const std::string& program, const std::vector<std::string>& argv) {
    if (without_.contains("landlock") || !sandbox().landlock) return std::nullopt;
    std::string named = program;
    for (std::size_t i = 1; i < argv.size(); ++i)
        if (argv[i].starts_with("/")) named += "\n" + argv[i];
    if (named == ruled_) return ruleset_.get();
    ruled_.clear();
    ruleset_ = Fd(landlock::make_ruleset());
    if (!ruleset_)
        throw Error(Blame::environment, "build", std::string("Landlock refused a ruleset: ") + std::strerror(errno));
    for (const std::string& path :
         argv)  // a verifier names a compiler's library, with what lies beside it, or a folder of headers
        if (path.starts_with("/") && &path != &argv[0])
            landlock::allow(ruleset_.get(),
                            (fs::is_directory(path) ? fs::path(path) : fs::path(path).parent_path()).c_str(),
                            landlock::read_and_execute);
    for (const char* path : readable) landlock::allow(ruleset_.get(), path, landlock::read_and_execute);
    for (const fs::path& part : toolchain_of(program))
        landlock::allow(ruleset_.get(), part.c_str(), landlock::read_and_execute);
    landlock::allow(ruleset_.get(), "/dev/null", landlock::read_file | landlock::write_file);
    landlock::allow(ruleset_.get(), store_.c_str(), landlock::read_file);
    landlock::allow(ruleset_.get(), work_.c_str(), ~(landlock::execute | landlock::ioctl_device));
    ruled_ = named;
    return ruleset_.get();
}

// A large file (a precompiled header) is written once and linked to, out of the compiler's reach.
void Builder::place(const std::string& name, std::string_view bytes) {
    const fs::path path = work_ / name;
    fs::create_directories(path.parent_path());
    if (bytes.size() < large_bytes) return write_file(path, bytes);
    const fs::path stored = store_ / std::to_string(hash64(bytes));
    if (!fs::exists(stored)) write_file(stored, bytes);
    fs::create_symlink(stored, path);
}

bool Builder::run(const std::string& program, const BuildPlan& plan, Built& built, int* status) {
    auto [output, input] = make_pipe();
    SpawnPlan spawn;
    spawn.argv.push_back(program);
    for (std::size_t i = 1; i < plan.argv.size(); ++i)
        spawn.argv.push_back(plan.argv[i].starts_with("@") ? work_.string() + plan.argv[i].substr(1) : plan.argv[i]);
    spawn.files = {{input.get(), 1}, {input.get(), 2}};
    spawn.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "TMPDIR=" + work_.string()};
    confine::Plan limits;
    limits.ruleset = ruleset_for(program, plan.argv);
    if (!without_.contains("seccomp") && sandbox().seccomp) limits.filter = &deny_filter();
    limits.filter_flags = confine::keep_speculation;
    if (!without_.contains("rlimits") && sandbox().limits)
        limits.limits = {{RLIMIT_AS, memory_bytes},
                         {RLIMIT_CPU, static_cast<rlim_t>(std::ceil(seconds_))},
                         {RLIMIT_FSIZE, file_bytes},
                         {RLIMIT_CORE, no_core},
                         {RLIMIT_NOFILE, 256}};
    spawn.in_child = [&limits] { return leave_core(), be_expendable(), confine::enter(limits); };
    Child child(spawn);
    input.close();

    // the limit of processor time (RLIMIT_CPU) comes first, unless the machine is so busy that the compiler seldom runs
    const double deadline = monotonic_seconds() + (without_.contains("deadline") ? 20 : busy_machine) * seconds_;
    std::array<char, 16384> buffer;
    double next_look = 0;
    for (pollfd pipe{output.get(), POLLIN, 0}; monotonic_seconds() < deadline;) {
        const int ready = poll(&pipe, 1, look_milliseconds);
        if (monotonic_seconds() >= next_look) {
            addresses_ = std::max(addresses_, most_addresses(child.pid()));
            next_look = monotonic_seconds() + 1e-3 * look_milliseconds;
        }
        if (ready <= 0) continue;
        const ssize_t got = read(output.get(), buffer.data(), buffer.size());
        if (got <= 0) break;  // everything that could write has ended
        built.log.append(buffer.data(),
                         std::min(static_cast<std::size_t>(got), log_bytes - std::min(log_bytes, built.log.size())));
    }
    return child.wait(std::max(0.0, deadline - monotonic_seconds()), status);
}

Built Builder::build(const BuildPlan& plan) {
    const std::string program = find_program(plan.argv.at(0));
    for (const auto& left : fs::directory_iterator(work_))
        fs::remove_all(left);  // the folder stays: Landlock's rule is bound to it
    for (const auto& [name, bytes] : plan.files) place(name, bytes);
    Built built;
    int status = 0;
    addresses_ = 0;
    const double begun = monotonic_seconds(), worked = seconds_of_children();
    const bool ended = run(program, plan, built, &status);
    built.seconds = monotonic_seconds() - begun;
    if (ended) judge_status(status, seconds_, {seconds_of_children() - worked, addresses_}, program, built);
    else built.verdict = "TIMEOUT", built.reason = "the compiler took more than " + limit_text(busy_machine * seconds_);
    const fs::path product = work_ / plan.product;
    if (built.verdict.empty() && !plan.product.empty()) {
        if (fs::is_regular_file(fs::symlink_status(product))) built.product = read_file(product);
        else built.verdict = "COMPILE_ERROR", built.reason = "the compiler made no " + plan.product;
    }
    return built;
}

}  // namespace hone
