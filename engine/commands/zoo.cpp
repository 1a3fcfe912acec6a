// `hone zoo`: hostile programs through the real judge. Each must get the verdict that it is known to deserve, and with its defences
// switched off each must win: otherwise another reason than the one it is there to test keeps it out. Good programs must all pass.
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include "base/paths.hpp"
#include "base/progress.hpp"
#include "commands/command.hpp"
#include "judge/judge.hpp"
#include "lua/task_file.hpp"

namespace hone {
namespace {

// A folder NAME/ with candidate.cpp and about.json {what, catalogue, task, verdict, kind?, defences, wins: {verdict, outcome?}, options?,
// needs?}; or an honest program, honest/TASK.NAME.cpp, of a task in cpu-basics.
struct Specimen {
    std::string name, code, task, reference;
    Json about, expected, options;  // expected: {verdict, kind?, outcome?}
};

constexpr int most_repeats = 5;
constexpr std::array phases = {"build", "verify", "time"};

double preset_deadline() { return check_options(judge_options(), Json::object(), "zoo").at("deadline"); }

struct Outcome {
    const Specimen* specimen;
    Judgement judgement;
    // Seconds of its own phases, from begin to end: what it waited for others does not count.
    double seconds() const { return judgement.doc.contains("wall") ? judgement.doc.at("wall").value("total", 0.0) : 0.0; }
    // No phase may outlast its stated deadline (beyond the half second after which a worker kills) unless that defence is off.
    bool in_time() const {
        if (judgement.doc.value("defences_off", Json::array()).dump().find("\"deadline\"") != std::string::npos) return true;
        const double limit = specimen->options.value("deadline", preset_deadline()) + 0.5;
        const Json wall = judgement.doc.value("wall", Json::object());
        return std::all_of(phases.begin(), phases.end(), [&](const char* phase) { return wall.value(phase, 0.0) <= limit; });
    }
    bool as_expected() const {
        if (!in_time()) return false;
        const Json& expected = specimen->expected;
        const Json facts = judgement.doc.value("facts", Json::object());
        return judgement.doc.at("verdict") == expected.at("verdict") &&
               (!expected.contains("kind") || facts.value("kind", "") == expected.at("kind")) &&
               (!expected.contains("outcome") || judgement.doc.value("outcome", Json()) == expected.at("outcome"));
    }
    Json row() const {
        return {{"name", specimen->name},
                {"verdict", judgement.doc.at("verdict")},
                {"outcome", judgement.doc.value("outcome", Json())},
                {"reason", judgement.doc.at("reason")},
                {"expected", specimen->expected},
                {"seconds", seconds()},
                {"in_time", in_time()}};
    }
};

std::vector<fs::path> sorted_entries(const fs::path& folder) {
    std::vector<fs::path> entries;
    if (fs::is_directory(folder))
        for (const auto& entry : fs::directory_iterator(folder)) entries.push_back(entry.path());
    std::sort(entries.begin(), entries.end());
    return entries;
}

std::string join(const Json& names) {
    std::string list;
    for (const Json& name : names) list += (list.empty() ? "" : ",") + name.get<std::string>();
    return list;
}

std::vector<Specimen> read_attacks(const fs::path& folder) {
    std::vector<Specimen> attacks;
    for (const fs::path& path : sorted_entries(folder)) {
        if (!fs::exists(path / "about.json")) continue;
        const Json about = Json::parse(read_file(path / "about.json"));
        Json expected = {{"verdict", about.at("verdict")}};
        if (about.contains("kind")) expected["kind"] = about.at("kind");
        attacks.push_back({path.filename(), read_file(path / "candidate.cpp"), (folder / "zoo.lua").string(), "lua", about, expected,
                           about.value("options", Json::object())});
    }
    if (attacks.empty())
        throw Error(Blame::usage, "zoo", folder.string() + " holds no attacks", "a source tree has them in tests/exploits");
    return attacks;
}

std::vector<Specimen> read_honest(const fs::path& folder) {
    std::vector<Specimen> programs;
    for (const fs::path& path : sorted_entries(folder / "honest")) {
        const std::string name = path.stem();
        programs.push_back({"honest/" + name,
                            read_file(path),
                            "cpu-basics/" + name.substr(0, name.find('.')),
                            "torch",
                            {},
                            {{"verdict", "PASSED"}},
                            Json::object()});
    }
    return programs;
}

// Yama may keep everybody but root from other processes' memory, with or without our defences.
bool may_trace() {
    const fs::path scope = "/proc/sys/kernel/yama/ptrace_scope";
    return geteuid() == 0 || !fs::exists(scope) || read_file(scope).starts_with("0");
}

// The same attacks where nothing stands in their way but what they are not made for.
std::vector<Specimen> opened(std::vector<Specimen> attacks) {
    if (!may_trace()) std::erase_if(attacks, [](const Specimen& s) { return s.about.value("needs", "") == "ptrace"; });
    for (Specimen& attack : attacks) {
        attack.expected = attack.about.at("wins");
        attack.options["without"] = join(attack.about.at("defences"));
    }
    return attacks;
}

Task task_of(const Specimen& specimen) {
    if (!specimen.about.contains("task")) return load_task(specimen.task);
    for (Task& task : load_suite(fs::path(specimen.task).parent_path().string()))
        if (task.name() == specimen.about.at("task")) return task;
    throw Error(Blame::input, specimen.task,
                "no task \"" + specimen.about.at("task").get<std::string>() + "\", which " + specimen.name + " attacks");
}

// One judge for all that share reference and options.
std::vector<Outcome> judge_all(const std::vector<Specimen>& specimens, const std::string& title) {
    std::map<std::pair<std::string, Json>, std::vector<const Specimen*>> groups;
    for (const Specimen& specimen : specimens) groups[{specimen.reference, specimen.options}].push_back(&specimen);
    std::vector<Outcome> outcomes;
    Progress progress(title, static_cast<long>(specimens.size()));
    for (const auto& [key, members] : groups) {
        Judge judge({make_recipe("verifier", "cpp", Json::object(), "zoo"), make_recipe("timer", "wall", Json::object(), "zoo"),
                     make_recipe("reference", key.first, Json::object(), "zoo"), check_options(judge_options(), key.second, "zoo")});
        const auto submit = [&](std::size_t i) {
            judge.submit(i, task_of(*members[i]), make_candidate(members[i]->name, "cpp", members[i]->code));
        };
        for (std::size_t i = 0; i < members.size(); ++i) submit(i);
        std::vector<int> again(members.size(), most_repeats);
        while (judge.pending()) {
            auto result = judge.collect(60);
            if (!result) continue;
            if (!result->second.scorable() && result->second.doc.at("reason").get<std::string>().find("too busy") != std::string::npos &&
                again[result->first]-- > 0) {  // others' work on this machine says nothing about the specimen
                submit(result->first);
                continue;
            }
            outcomes.push_back({members[result->first], std::move(result->second)});
            progress.update(static_cast<long>(outcomes.size()), outcomes.back().specimen->name);
        }
    }
    progress.finish();
    std::sort(outcomes.begin(), outcomes.end(), [](const Outcome& a, const Outcome& b) { return a.specimen->name < b.specimen->name; });
    return outcomes;
}

// {total, KEY: how many were as expected, others: [names]}
Json count(const std::vector<Outcome>& outcomes, const char* key, const char* others) {
    Json names = Json::array(), rows = Json::array();
    for (const Outcome& outcome : outcomes) {
        rows.push_back(outcome.row());
        if (!outcome.as_expected()) names.push_back(outcome.specimen->name);
    }
    return {{"total", outcomes.size()}, {key, outcomes.size() - names.size()}, {others, names}, {"rows", rows}};
}

void print_rows(const char* title, const Json& counted) {
    std::printf("%s\n", title);
    for (const Json& row : counted.at("rows")) {
        const bool fine = std::none_of(counted.begin(), counted.end(), [&](const Json& list) {
            return list.is_array() && std::find(list.begin(), list.end(), row.at("name")) != list.end();
        });
        const std::string outcome = row.at("outcome").is_string() ? " " + row.at("outcome").get<std::string>() : "";
        std::printf("  %-2s %-20s %5.2f s  %s%s  %s\n", fine ? "" : "!!", row.at("name").get<std::string>().c_str(),
                    row.at("seconds").get<double>(), row.at("verdict").get<std::string>().c_str(), outcome.c_str(),
                    row.at("reason").get<std::string>().c_str());
        if (!fine) std::printf("     expected %s%s\n", row.at("expected").dump().c_str(),
                               row.at("in_time") ? "" : ", and every phase within its deadline");
    }
}

void check_names(const std::vector<std::string>& given, const std::vector<Specimen>& attacks, const std::vector<Specimen>& honest) {
    std::vector<std::string> names;
    for (const auto* list : {&attacks, &honest})
        for (const Specimen& specimen : *list) names.push_back(specimen.name);
    for (const std::string& name : given)
        if (std::find(names.begin(), names.end(), name) == names.end())
            throw Error(Blame::input, "zoo", "no specimen \"" + name + "\"" + suggestion(name, names),
                        "honest programs are called honest/NAME");
}

std::vector<Specimen> chosen(std::vector<Specimen> all, const std::vector<std::string>& names) {
    if (!names.empty()) std::erase_if(all, [&](const Specimen& s) { return std::find(names.begin(), names.end(), s.name) == names.end(); });
    return all;
}

int run(const Arguments& arguments) {
    const fs::path folder = arguments.at_or(0, (script_folders().back().parent_path() / "tests/exploits").string());
    const std::vector<std::string> only = arguments.values("--only");
    std::vector<Specimen> attacks = read_attacks(folder), honest = read_honest(folder);
    check_names(only, attacks, honest);
    attacks = chosen(std::move(attacks), only);
    honest = chosen(std::move(honest), only);
    const std::vector<PartFile> parts = list_parts(plugin_folders());
    const bool torch = std::any_of(parts.begin(), parts.end(),
                                   [](const PartFile& part) { return part.interface_name == "reference" && part.id == "torch"; });
    if (!torch) honest.clear();

    Json doc = {{"schema", "hone.zoo/1"}};
    doc["attacks"] = count(judge_all(attacks, "attacks"), "rejected", "won");
    if (arguments.has("--open")) doc["open"] = count(judge_all(opened(attacks), "attacks without their defences"), "won", "failed");
    doc["honest"] = count(judge_all(honest, "honest programs"), "passed", "refused");
    if (!torch) doc["honest"]["skipped"] = "their tasks need reference.torch, which this build lacks";

    if (arguments.has("--json")) {
        std::printf("%s\n", doc.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
    } else {
        print_rows("attacks", doc["attacks"]);
        if (doc.contains("open")) print_rows("attacks, each without its defences", doc["open"]);
        print_rows("honest programs", doc["honest"]);
    }
    const bool fine =
        doc["attacks"]["won"].empty() && doc["honest"]["refused"].empty() && (!doc.contains("open") || doc["open"]["failed"].empty());
    return fine ? 0 : static_cast<int>(Blame::run);
}

}  // namespace

Command zoo_command() {
    return {"zoo",
            "[FOLDER]",
            "do hostile programs fail and good ones pass?",
            "FOLDER holds attacks (NAME/candidate.cpp, NAME/about.json) and honest/TASK.NAME.cpp; tests/exploits of the source tree unless "
            "given.\n"
            "Exit code: 0 every verdict is the expected one, 1 not.",
            {{"--open", "", "also judge each attack with its defences switched off: it must win then"},
             {"--only", "NAME", "this specimen (may be repeated)"},
             {"--json", "", "one JSON document (hone.zoo/1) on stdout"}},
            run};
}

}  // namespace hone
