#include "commands/import/program.hpp"
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cstring>
#include <vector>
#include "base/error.hpp"
#include "base/frames.hpp"
#include "base/hash.hpp"

namespace hone {
namespace {

constexpr double start_seconds = 300, end_seconds = 10;  // torch from a cold disk, beside other work
constexpr const char* cure = "install torch there, or name a Python that has it: --python PROGRAM";
constexpr int no_program = 127;  // of /usr/bin/env

fs::path scripts() { return script_folders().back() / "import"; }

}  // namespace

ImportProgram::ImportProgram(std::string interpreter) : interpreter_(std::move(interpreter)) { start(); }

void ImportProgram::start() {
    auto [in_read, in_write] = make_pipe();
    auto [out_read, out_write] = make_pipe();
    SpawnPlan plan;
    plan.argv = {"/usr/bin/env", interpreter_, (scripts() / "main.py").string()};
    plan.files = {{in_read.get(), STDIN_FILENO}, {out_write.get(), STDOUT_FILENO}};
    for (char** entry = environ; *entry; ++entry) plan.environment.emplace_back(*entry);
    child_ = Child(plan);
    to_ = std::move(in_write);
    from_ = std::move(out_read);
    in_read.close();
    out_write.close();
    const std::optional<Frame> hello = read_frame(from_.get(), start_seconds);
    if (!hello) throw Error(Blame::environment, interpreter_, "cannot be used: it " + how_it_ended(), cure);
    if (hello->header.contains("missing"))
        throw Error(Blame::environment, interpreter_,
                    "has no torch (" + hello->header.at("missing").get<std::string>() + ")", cure);
}

std::string ImportProgram::how_it_ended() {
    int status = 0;
    if (!child_.wait(end_seconds, &status)) return "does not answer";
    if (WIFSIGNALED(status))
        return "died of signal " + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")";
    if (WEXITSTATUS(status) == no_program) return "is no program";
    return "ended with status " + std::to_string(WEXITSTATUS(status));
}

Json ImportProgram::ask(const Json& request) {
    if (!child_.running()) start();
    try {
        write_frame(to_.get(), {request, ""});
        if (std::optional<Frame> reply = read_frame(from_.get(), -1)) return std::move(reply->header);
    } catch (const Error& error) {
        if (error.blame() != Blame::environment) throw;
    }
    const std::string end = how_it_ended();
    child_.kill();
    return {{"refused", "ended"},
            {"reason",
             "Python " + end + " while the module was read; " +
                 (end.starts_with("ended") ? "does the file leave Python (os._exit)?" : "is there enough memory?")}};
}

std::string ImportProgram::scripts_hash() {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(scripts()))
        if (entry.path().extension() == ".py") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::string all;
    for (const fs::path& file : files) all += read_file(file);
    return sha256(all);
}

}  // namespace hone
