// sandbox/build.hpp: compilers run on hostile text. A source may include any file and an assembler may embed it, so a
// compiler sees its own program, headers and libraries, one private folder, no network, and ends in time.
#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>
#include "base/process.hpp"
#include "hone/abi.h"

namespace hone {

struct BuildPlan {
    std::vector<std::string> argv;  // argv[0]: a program's path or a name on PATH; "@" begins a path in the folder
    std::vector<std::pair<std::string, std::string_view>> files;
    std::string product;  // "" if only the log is wanted
};

struct Built {
    std::string product, log;  // log: the first 64 KiB of both output streams
    double seconds = 0;
    std::string verdict, reason;  // empty, or COMPILE_ERROR, TIMEOUT, OUT_OF_MEMORY
};

// Removes the folders of builders whose process is gone. A bench is killed, so its worker does this once it has reaped
// it.
void sweep_build_folders();

// Owns a folder below the temporary folder; removes it at its end, and what killed benches left behind at its start.
class Builder {
public:
    // seconds: of wall clock and of processor that a build may take
    Builder(const std::set<std::string>& without, double seconds);
    ~Builder();
    Builder(const Builder&) = delete;
    // throws Error(environment) if the program is not there or the disk is full
    Built build(const BuildPlan&);

private:
    // nullopt: none, as Landlock is off or not there
    std::optional<int> ruleset_for(const std::string& program, const std::vector<std::string>& argv);
    void place(const std::string& name, std::string_view bytes);
    bool run(const std::string& program, const BuildPlan&, Built&, int* status);

    std::set<std::string> without_;
    double seconds_;
    std::uint64_t addresses_ = 0;  // the most that the last compiler was seen to have, in bytes
    // work: one build's; store: large files that many builds read
    std::filesystem::path folder_, work_, store_;
    Fd ruleset_;
    std::string ruled_;  // program and absolute arguments that ruleset_ is for
};

}  // namespace hone
