// `hone best RUN -o DIR`: the best program of each task as a file that says what it is.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include "base/paths.hpp"
#include "base/printable.hpp"
#include "base/progress.hpp"
#include "base/quantity.hpp"
#include "commands/command.hpp"
#include "domain/document_json.hpp"
#include "parts/verifiers.hpp"
#include "run/session.hpp"
#include "store/journal.hpp"
#include "store/report/no_scores.hpp"
#include "store/runs.hpp"

namespace hone {
namespace {

struct Language {
    std::string extension, comment;
};

Language language_of(const std::string& name) {
    for (const VerifierKind& kind : verifier_kinds())
        if (kind.fence == name && !kind.files.empty()) return {kind.files.front(), kind.comment};
    return {".txt", "# "};
}

// Of each task, by name and hash, and each unit of a timer: the highest lower bound among programs that were measured
// again after they were found, else among all.
struct Best {
    Exemplar program;
    std::optional<Exemplar> once;  // a faster one, measured once
};
using Bests = std::map<std::array<std::string, 3>, Best>;
Bests best_by_task(const Journal& journal) {
    Bests best;
    for (const Exemplar& program : journal.find({.order = "-speedup.lower"})) {
        const auto [found, first] =
            best.emplace(Bests::key_type{program.task, program.task_hash, program.unit}, Best{program, {}});
        Best& known = found->second;
        if (!first && program.judged > 1 && known.program.judged == 1) known = {program, known.program};
    }
    return best;
}

std::string score_text(const Exemplar& program) {
    const Speedup& s = program.speedup;
    char level[16];
    std::snprintf(level, sizeof level, "%.0f %%", 100 * s.level);
    return (program.unit == "s" ? "" : "uses ") +
           ratio_text(program.unit, s.estimate, s.lower, s.upper.value_or(HUGE_VAL)) + " at " + level + " against " +
           s.baseline + (program.judged > 1 ? ", measured again on fresh inputs" : ", measured once");
}

std::string file_name(std::string task, const std::string& extension) {
    std::replace_if(
        task.begin(), task.end(), [](char c) { return c == '/' || c == ':' || c == ' '; }, '_');
    return task + extension;
}

Json entry_of(const Exemplar& program) {
    return {{"hash", program.hash},
            {"speedup", document_to_json(program.speedup)},
            {"unit", program.unit},
            {"judged", program.judged}};
}

// Its task's name; of two tasks with one name each has the begin of its hash too, of two units each has its own.
std::string title_of(const Bests& best, const Exemplar& program) {
    bool other_task = false, other_unit = false;
    for (const auto& [key, other] : best) {
        if (key[0] != program.task) continue;
        other_task |= key[1] != program.task_hash;
        other_unit |= key[2] != program.unit;
    }
    return program.task + (other_task ? " " + program.task_hash.substr(0, 8) : "") +
           (other_unit ? " in " + program.unit : "");
}

// Returns the program's file.
fs::path write_program(const fs::path& folder, const std::string& run, const std::string& title,
                       const Exemplar& program) {
    const auto [extension, mark] = language_of(program.language);
    const fs::path file = folder / file_name(title, extension);
    const std::string header =
        mark + title + ": " + score_text(program) + "\n" + mark + "run " + run + ", candidate " + program.hash + "\n";
    write_file(file, header + program.code + (program.code.ends_with('\n') ? "" : "\n"));
    if (!program.plan.empty()) write_file(folder / file_name(title, ".plan.lua"), program.plan);
    return file;
}

int run_best(const Arguments& arguments) {
    const Journal journal = Journal::read(arguments.at(0));
    const Bests best = best_by_task(journal);
    const Json left_out = no_scores(journal);
    const std::string no_score = no_scores_text(left_out);
    if (best.empty() && no_score.empty())
        throw Error(Blame::run, journal.folder(), "no program of this run has passed yet");
    if (best.empty())
        throw Error(Blame::run, journal.folder(), "programs passed, but none has a score: " + no_score,
                    "judge without what the brackets name: an option of the judge, or of the verifier");
    if (!no_score.empty()) Progress::say("hone: left out: " + no_score);
    const std::string name = folder_name(journal);
    const fs::path folder = arguments.value("-o", "best/" + name);
    std::error_code code;
    fs::create_directories(folder, code);
    if (code)
        throw Error(Blame::environment, folder.string(), "cannot be made: " + code.message(),
                    "name another folder with -o");
    Json rows = Json::array();
    for (const auto& [task, found] : best) {
        const fs::path file = write_program(folder, name, title_of(best, found.program), found.program);
        rows.push_back(entry_of(found.program));
        rows.back().update({{"task", found.program.task}, {"file", file.string()}});
        if (found.once) rows.back()["once"] = entry_of(*found.once);
    }
    if (arguments.has("--json")) {
        const Json document = {{"schema", "hone.best/1"}, {"run", name}, {"programs", rows}, {"no_score", left_out}};
        return std::fputs(document_text(document).c_str(), stdout), 0;
    }
    for (const auto& [task, found] : best) {
        std::printf("%-32s %s\n", printable(title_of(best, found.program)).c_str(),
                    printable(score_text(found.program)).c_str());
        if (found.once)
            std::printf("%-32s %s, but luck may be in it: %s; hone show %s --run %s\n", "",
                        found.program.unit == "s" ? "faster" : "it costs less",
                        printable(score_text(*found.once)).c_str(), found.once->hash.substr(0, 12).c_str(),
                        printable(for_shell(arguments.at(0))).c_str());
    }
    return 0;
}

}  // namespace

Command best_command() {
    return {
        "best",
        "RUN",
        "the best program of each task, as files",
        "A program that was measured again after it was found goes before one that was not: the luck of the draw "
        "is out of its score.",
        {{"-o", "DIR", "folder for the files (preset: best/RUN)"}, {"--json", "", "one JSON document (hone.best/1)"}},
        run_best};
}

}  // namespace hone
