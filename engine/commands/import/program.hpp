// commands/import/program.hpp: the program that has torch and reads modules (scripts/import/main.py), as a child that
// is asked one thing after the other in frames (base/frames.hpp).
#pragma once
#include <string>
#include "base/json.hpp"
#include "base/paths.hpp"
#include "base/process.hpp"

namespace hone {

class ImportProgram {
public:
    // interpreter: what runs the script, by path or by name. Throws Error(environment) where it cannot be run or has no
    // torch.
    explicit ImportProgram(std::string interpreter);
    // Its reply. A program that ends instead (a module may take it along, or all memory) refuses, and the next request
    // finds a new one.
    Json ask(const Json& request);
    static std::string scripts_hash();  // of what makes tasks: another one makes other tasks

private:
    void start();
    std::string how_it_ended();
    std::string interpreter_;
    Fd to_, from_;
    Child child_;
};

}  // namespace hone
