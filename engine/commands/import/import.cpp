// `hone import`: tasks made of modules of torch. The interpreter that has torch exports them (scripts/import), this
// program reads the tasks that come of it, compares their answers with the modules' and keeps what became of each.
#include <algorithm>
#include <cstdio>
#include "base/error.hpp"
#include "base/options.hpp"
#include "base/printable.hpp"
#include "base/progress.hpp"
#include "commands/command.hpp"
#include "commands/import/released.hpp"
#include "commands/import/report.hpp"
#include "commands/import/suite.hpp"

namespace hone {
namespace {

fs::path folder_of(const Arguments& arguments) {
    const fs::path usual =
        script_folders().front() / "suites" / (arguments.at(0) == "module" ? "modules" : arguments.at(0));
    return arguments.has("--out") ? fs::path(arguments.value("--out")) : usual;
}

std::vector<ModuleFile> modules_of(const Arguments& arguments) {
    static const std::vector<std::string> kinds = {"kernelbench", "cuda-l1", "module"};
    const std::string& kind = arguments.at(0);
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
        throw Error(Blame::usage, "import", "\"" + kind + "\" cannot be imported", choose(kind, kinds, "kinds"));
    const std::vector<std::string> levels = arguments.values("--level"), names = arguments.values("--only");
    if (kind == "kernelbench") return choose_modules(benchmark_files(arguments.at(1)), levels, names);
    if (kind == "cuda-l1") return choose_modules(released_files(arguments.at(1), folder_of(arguments)), levels, names);
    if (!levels.empty() || !names.empty())
        throw Error(Blame::usage, "import", "--level and --only choose tasks of a benchmark, and a module is one");
    return {module_file(arguments.at(1))};
}

Json sizes_of(const Arguments& arguments) {
    Json sizes = Json::object();
    for (const std::string& assignment : arguments.values("--set")) {
        const std::size_t equals = assignment.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == assignment.size())
            throw Error(Blame::usage, "import", "--set \"" + assignment + "\" is no NAME=VALUE",
                        "write --set batch_size=4");
        sizes[assignment.substr(0, equals)] = assignment.substr(equals + 1);
    }
    return sizes;
}

int run(const Arguments& arguments) {
    const std::vector<ModuleFile> files = modules_of(arguments);
    const ImportSettings settings{folder_of(arguments), arguments.value("--python", "python3"), sizes_of(arguments),
                                  !arguments.has("--no-lint")};
    ImportSuite suite(settings);
    Json rows = Json::array();
    Progress progress("import", static_cast<long>(files.size()));
    for (const ModuleFile& file : files) {
        progress.update(static_cast<long>(rows.size()), file.name);
        rows.push_back(suite.take(file));
    }
    progress.finish();
    if (arguments.has("--json"))
        std::fputs(document_text({{"schema", ImportRecord::schema}, {"tasks", rows}}).c_str(), stdout);
    else print_import(rows, settings.folder);
    const bool fine = std::all_of(rows.begin(), rows.end(), [](const Json& row) {
        return row.at("status") != "refused" && row.at("status") != "differs";
    });
    return fine ? 0 : static_cast<int>(Blame::run);
}

}  // namespace

Command import_command() {
    return {
        "import",
        "KIND PATH",
        "tasks made of modules of torch: kernelbench FOLDER, cuda-l1 FILE, module FILE",
        "A module's file holds Model, get_inputs and get_init_inputs; cuda-l1 reads released programs (JSON lines)\n"
        "and keeps them in programs/ beside the tasks of the modules that they replace. Each module becomes a task "
        "file, whose answers are compared\n"
        "with the module's; imported.json beside the tasks tells what became of each, and why. What is there\n"
        "and unchanged is not done again. The files are run: import only what you trust.\n"
        "Exit code: 0 all imported, 1 some refused, or with other answers than their module's.",
        {{"--out", "DIR", "the suite to write (suites/KIND in the script folder; suites/modules for a module)"},
         {"--level", "N", "of the benchmark; may be repeated"},
         {"--only", "NAME", "a task's name, or level and number, 1/19; may be repeated"},
         {"--set", "NAME=VALUE", "another value for a constant of the file's top level; may be repeated"},
         {"--no-lint", "", "do not ask the linter, which takes most of the time"},
         {"--python", "PROGRAM", "the Python that has torch (python3)"},
         {"--json", "", "one JSON document (hone.imported/1) on stdout"}},
        run};
}

}  // namespace hone
