// commands/import/answers.hpp: the module's own answers to a task's inputs, and how far the task's are from them.
#pragma once
#include <optional>
#include <string>
#include <vector>
#include "commands/import/program.hpp"
#include "judge/call/arena.hpp"

namespace hone {

class ImportFolder {  // for tensors on their way between the two programs
public:
    ImportFolder();
    ~ImportFolder();
    ImportFolder(const ImportFolder&) = delete;
    fs::path file(const std::string& name) const { return fs::path(path_) / name; }
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

// The module at hand on these inputs (bytes in the tensors' own dtypes), in float64: files of its outputs, or a
// refusal.
Json module_answers(ImportProgram&, const ImportFolder&, const Layout&, const std::vector<std::string>& inputs);

// rms of the error over rms of the module's answer, which lies in a file; infinite where they are of different size, or
// where one is finite and the other is not. nullopt: no number is finite, and all are alike.
std::optional<double> error_against(const std::string& file, const std::vector<double>& got);

}  // namespace hone
