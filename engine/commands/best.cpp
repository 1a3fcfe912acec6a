// `hone best RUN -o DIR`: the best program of each task as a file that says what it is.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include "base/paths.hpp"
#include "base/printable.hpp"
#include "base/quantity.hpp"
#include "commands/command.hpp"
#include "parts/verifiers.hpp"
#include "store/journal.hpp"

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

// Of each task: the highest lower bound among programs that were measured again after they were found, else among all.
struct Best {
    Exemplar program;
    std::optional<Exemplar> once;  // a faster one, measured once
};
std::map<std::string, Best> best_by_task(const Journal& journal) {
    std::map<std::string, Best> best;
    for (const Exemplar& program : journal.find({.order = "-speedup.lower"})) {
        const auto [found, first] = best.emplace(program.task, Best{program, {}});
        Best& known = found->second;
        if (!first && program.judged > 1 && known.program.judged == 1) known = {program, known.program};
    }
    return best;
}

std::string score_text(const Exemplar& program) {
    const Speedup& s = program.speedup;
    char level[16];
    std::snprintf(level, sizeof level, "%.0f %%", 100 * s.level);
    return ratio_text(program.unit, s.estimate, s.lower, s.upper.value_or(HUGE_VAL)) + " at " + level + " against " +
           s.baseline + (program.judged > 1 ? ", measured again on fresh inputs" : ", measured once");
}

std::string file_name(std::string task, const std::string& extension) {
    std::replace_if(
        task.begin(), task.end(), [](char c) { return c == '/' || c == ':' || c == ' '; }, '_');
    return task + extension;
}

void write_program(const fs::path& folder, const std::string& run, const Exemplar& program) {
    const Language language = language_of(program.language);
    const std::string mark = language.comment;
    const std::string header = mark + program.task + ": " + score_text(program) + "\n" + mark + "run " + run +
                               ", candidate " + program.hash + "\n";
    write_file(folder / file_name(program.task, language.extension),
               header + program.code + (program.code.ends_with('\n') ? "" : "\n"));
    if (!program.plan.empty()) write_file(folder / file_name(program.task, ".plan.lua"), program.plan);
}

int run(const Arguments& arguments) {
    const Journal journal = Journal::read(arguments.at(0));
    const std::map<std::string, Best> best = best_by_task(journal);
    if (best.empty()) throw Error(Blame::run, journal.folder(), "no program of this run has passed yet");
    const fs::path folder = arguments.value("-o", "best/" + journal.info().name);
    std::error_code code;
    fs::create_directories(folder, code);
    if (code)
        throw Error(Blame::environment, folder.string(), "cannot be made: " + code.message(),
                    "name another folder with -o");
    for (const auto& [task, found] : best) {
        write_program(folder, journal.info().name, found.program);
        std::printf("%-32s %s\n", printable(task).c_str(), printable(score_text(found.program)).c_str());
        if (found.once)
            std::printf("%-32s faster, but luck may be in it: %s; hone show %s\n", "",
                        printable(score_text(*found.once)).c_str(), found.once->hash.substr(0, 12).c_str());
    }
    return 0;
}

}  // namespace

Command best_command() {
    return {"best",
            "RUN",
            "the best program of each task, as files",
            "A program that was measured again after it was found goes before one that was not: the luck of the draw "
            "is out of its score.",
            {{"-o", "DIR", "folder for the files (preset: best/RUN)"}},
            run};
}

}  // namespace hone
