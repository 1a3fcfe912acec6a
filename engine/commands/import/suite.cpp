#include "commands/import/suite.hpp"
#include <cmath>
#include "base/error.hpp"
#include "base/hash.hpp"
#include "commands/import/check.hpp"
#include "lua/task_file.hpp"

namespace hone {
namespace {

fs::path made(const fs::path& folder) {
    fs::create_directories(folder);
    return folder;
}

}  // namespace

ImportSuite::ImportSuite(ImportSettings settings)
    : settings_(std::move(settings)), scripts_(ImportProgram::scripts_hash()), record_(made(settings_.folder)) {}

Json ImportSuite::take(const ModuleFile& file) {
    const fs::path source = fs::absolute(file.path).lexically_normal();
    if (file.level == 0) record_.require_same_file(file.name, source);  // a benchmark's names say level and number
    const std::string key = sha256(sha256_file(file.path.string()) + settings_.sizes.dump() + scripts_ +
                                   (settings_.with_lint ? "lint" : ""));
    if (record_.holds(file.name, key)) return record_.row(file.name);
    Json row = {{"name", file.name}, {"file", file.shown}, {"level", file.level}, {"path", source}, {"key", key}};
    const fs::path path = record_.task_file(file.name);
    const std::string earlier = !settings_.sizes.empty() && fs::exists(path) ? read_file(path) : "";
    row.update(import(file));
    if (row.at("status") == "refused" && !earlier.empty()) {  // a value of --set may be wrong: nothing is lost by that
        write_file(path, earlier);
        row["reason"] = row.at("reason").get<std::string>() + "; the task of an earlier import stays";
        return row;
    }
    record_.put(row);
    return row;
}

ImportProgram& ImportSuite::program() {
    if (!program_) program_.emplace(settings_.interpreter);
    return *program_;
}

Json ImportSuite::refused(const ModuleFile& file, const Json& reply) const {
    fs::remove(record_.task_file(file.name));  // of an earlier import
    Json row = {{"status", "refused"}, {"word", reply.at("refused")}, {"reason", reply.at("reason")}};
    if (const std::string trace = reply.value("trace", ""); !trace.empty()) {
        write_file(record_.trace_file(file.name), trace);
        row["traceback"] = record_.trace_file(file.name).filename().string();
    }
    return row;
}

Json ImportSuite::import(const ModuleFile& file) {
    fs::remove(record_.trace_file(file.name));  // of an earlier import
    const Json made = program().ask({{"type", "import"},
                                     {"file", fs::absolute(file.path).string()},
                                     {"name", file.name},
                                     {"origin", file.shown},
                                     {"set", settings_.sizes}});
    if (made.contains("refused")) return refused(file, made);
    const std::string path = record_.task_file(file.name).string();
    write_file(path, made.at("task").get<std::string>());
    try {
        return checked(path, made);
    } catch (const Error& error) {
        if (error.blame() != Blame::input) throw;
        return refused(file, {{"refused", "task"}, {"reason", error.what()}});
    }
}

Json ImportSuite::checked(const std::string& path, const Json& made) {
    const Recipe reference = make_recipe("reference", "torch", {{"threads", 1}}, "import");
    const ImportCheck check = check_import(program(), load_task_file(path), reference, settings_.with_lint);
    if (check.status == "flawed" || check.status == "differs") {
        const Json marked = program().ask({{"type", "text"}, {"flaw", check.status + ": " + check.reason}});
        if (marked.contains("task")) write_file(path, marked.at("task").get<std::string>());
    }
    Json row = {{"status", check.status}, {"reason", check.reason}, {"shapes", check.shapes},
                {"linted", check.linted}, {"lint", check.lint},     {"notes", made.at("notes")}};
    if (std::isfinite(check.worst)) row["error"] = check.worst;
    return row;
}

}  // namespace hone
