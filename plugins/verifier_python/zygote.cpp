#include "verifier_python/zygote.hpp"
#include <dlfcn.h>
#include <unistd.h>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include "runner_text.hpp"

namespace hone::python {
namespace {

namespace fs = std::filesystem;

constexpr double open_seconds = 100, answer_seconds = 10;  // import torch from a cold disk and make a module
constexpr std::size_t reply_room = 4096;

// Beside this part's library, in a folder that is not searched for parts.
std::string lock_library() {
    Dl_info here{};
    dladdr(reinterpret_cast<const void*>(&find_program), &here);
    const fs::path path = fs::canonical(here.dli_fname).parent_path() / "../runners/hone-python.so";
    if (!fs::exists(path))
        throw Refused("verifier.python: its library " + path.lexically_normal().string() +
                      " is missing; install hone whole");
    return fs::canonical(path);
}

// As Python writes a text.
std::string python_text(const std::string& text) {
    std::string all = "'";
    for (const char c : text) all += (c == '\\' || c == '\'' ? "\\" : "") + std::string(1, c);
    return all + "'";
}

}  // namespace

std::string find_program(const std::string& name) {
    if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : "";
    const char* folders = std::getenv("PATH");
    std::istringstream list(folders ? folders : "/usr/bin:/bin");
    for (std::string folder; std::getline(list, folder, ':');)
        if (const std::string path = folder + "/" + name; access(path.c_str(), X_OK) == 0) return path;
    return "";
}

Zygote::Zygote(const Host& host, const std::string& python, std::string device)
    : host_(host), python_(find_program(python)), device_(std::move(device)) {
    if (python_.empty())
        throw Refused("verifier.python: there is no program " + python +
                      "; name a Python that has torch: --set verifier.python=PROGRAM");
}

Zygote::~Zygote() {
    if (jail_.end) jail_.end(jail_.ctx);
}

void Zygote::start() {
    if (jail_.end) jail_.end(jail_.ctx);
    jail_ = {};
    ++generation_;
    const std::string text = "-cDEVICE = " + python_text(device_) + "\n" + std::string(runner_text) +
                             "LIBRARY = ctypes.CDLL(" + python_text(lock_library()) + ")\nserve()\n";
    static const char* const keeps[] = {"CUDA_VISIBLE_DEVICES", "HOME",          "PYTHONPATH",     "OMP_NUM_THREADS",
                                        "OMP_PLACES",           "OMP_PROC_BIND", "GOMP_SPINCOUNT", nullptr};
    hone_jail_plan plan{};
    plan.size = sizeof plan;
    plan.runner = python_.c_str();
    plan.symbol = text.c_str();
    plan.threads = 1;
    plan.keeps = keeps;
    host_.check(host_.raw()->jail(host_.raw()->ctx, &plan, &jail_, nullptr), "verifier.python: Python did not start");
}

std::optional<std::string> Zygote::tell(const std::string& message, const std::vector<int>& files, double seconds) {
    std::string reply(reply_room, '\0');
    std::uint64_t got = 0;
    const hone_rc rc =
        jail_.tell(jail_.ctx, message.data(), message.size(), files.data(), static_cast<std::uint32_t>(files.size()),
                   reply.data(), reply.size(), &got, seconds, nullptr);
    if (rc != HONE_OK) return std::nullopt;
    reply.resize(got);
    return reply;
}

void Zygote::require() {
    if (jail_.end && tell("status 0", {}, answer_seconds)) return;
    begin();
}

void Zygote::begin() {
    start();
    answers_ = tell("status 0", {}, open_seconds).has_value();
    if (answers_) return;
    throw Failed("verifier.python: " + python_ + " cannot be used; does it have torch? try: " + python_ +
                 " -c 'import torch'; another Python: --set verifier.python=PROGRAM");
}

Beginning Zygote::fork(const std::string& order, const std::vector<int>& files) {
    std::optional<std::string> reply;
    for (int attempt = 0; attempt < 2 && !reply; ++attempt) {  // it may have died since its last program
        if (attempt > 0 || !jail_.end) begin();
        reply = tell(order, files, open_seconds);
    }
    if (!reply) throw Failed("verifier.python: " + python_ + " ended twice while it made a process; try again");
    std::istringstream lines(*reply);
    Beginning beginning;
    lines >> beginning.pid;
    lines.ignore();  // the end of its line
    std::getline(lines, beginning.verdict);
    std::getline(lines, beginning.reason);
    return beginning;
}

std::string Zygote::how_it_ended(int pid) {
    return tell("status " + std::to_string(pid), {}, answer_seconds).value_or("none");
}

// One that does not answer goes, and all that it has forked with it.
void Zygote::end(int pid) {
    if (!jail_.end || tell("end " + std::to_string(pid), {}, answer_seconds)) return;
    jail_.end(jail_.ctx);
    jail_ = {};
    ++generation_;
}

}  // namespace hone::python
