// commands/import/suite.hpp: the suite that an import writes: a task file of each module, and what became of it.
#pragma once
#include <optional>
#include <string>
#include "commands/import/modules.hpp"
#include "commands/import/program.hpp"
#include "commands/import/record.hpp"

namespace hone {

struct ImportSettings {
    fs::path folder;          // of the suite
    std::string interpreter;  // that has torch
    Json sizes;               // {"batch_size": "4"}: other values for constants of the files
    bool with_lint;
};

class ImportSuite {
public:
    explicit ImportSuite(ImportSettings);
    // The module's row in imported.json: the one that is kept, where nothing has changed. Throws Error(environment)
    // where there is no torch.
    Json take(const ModuleFile&);

private:
    ImportProgram& program();
    Json refused(const ModuleFile&, const Json& reply) const;  // reply: of the program
    Json import(const ModuleFile&);
    Json checked(const std::string& path, const Json& made);
    ImportSettings settings_;
    std::string scripts_;
    ImportRecord record_;
    std::optional<ImportProgram> program_;  // made when a module needs it
};

}  // namespace hone
