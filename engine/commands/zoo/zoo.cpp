// `hone zoo`: hostile programs through the real judge. Each must get the verdict that it is known to deserve, and with
// its one defence switched off each must win: otherwise another reason than the one it is there to test keeps it out.
// Where a defence is made of layers, each of them must hold alone. Good programs must all pass.
#include <algorithm>
#include <cstdio>
#include <map>
#include <tuple>
#include "base/printable.hpp"
#include "base/progress.hpp"
#include "commands/command.hpp"
#include "commands/zoo/specimens.hpp"
#include "domain/document_json.hpp"
#include "judge/call/settings.hpp"
#include "judge/service/judge.hpp"
#include "parts/verifiers.hpp"

namespace hone {
namespace {

constexpr int most_repeats = 20;
constexpr int most_refusals = 2;        // by one judge, of tasks
constexpr int most_attempts = 3;        // of an attack that is to win: who attacks may try again
constexpr double long_seconds = 50e-6;  // of a kernel whose speed a judge must be able to tell
// of an attack over the good program: less is what differs between two processes of one program
constexpr double least_gain = 1.25;

double preset_deadline() { return check_options(judge_options(), Json::object(), "zoo").at("deadline"); }

struct Outcome {
    const Specimen* specimen;
    Judgement judgement;
    int attempts = 1;
    Json doubted = nullptr;  // the speed with which it seemed to win at first
    // Seconds of its own phases, from begin to end: what it waited for others does not count.
    double seconds() const { return judgement.wall ? judgement.wall->total : 0; }
    // "faster" of an attack that is compared with a good program: by more than processes of one program differ.
    std::string outcome() const {
        const bool small =
            specimen->against && judgement.outcome == "faster" && judgement.speedup->estimate < least_gain;
        return small ? "about equal" : judgement.outcome.value_or("");
    }
    bool ambiguous() const { return judgement.outcome == "ambiguous"; }
    bool is_long() const { return judgement.passed() && judgement.per_call()->candidate >= long_seconds; }
    // No phase of an attack may outlast its stated deadline (beyond the half second after which a worker kills) unless
    // that defence is off.
    bool in_time() const {
        const std::vector<std::string>& off = judgement.defences_off;
        if (std::find(off.begin(), off.end(), "deadline") != off.end()) return true;
        if (specimen->about.is_null()) return true;  // a good program's time is the machine's affair
        const double deadline = specimen->options.value("deadline", preset_deadline()), grace = 0.5;
        const judged::Wall wall = judgement.wall.value_or(judged::Wall());
        // a compiler's deadline is of processor time (sandbox/build.cpp)
        return wall.build <= 3 * deadline + grace && std::max(wall.verify, wall.time) <= deadline + grace;
    }
    bool gets(const Json& wanted) const {
        const std::string verdict = verdict_name(judgement.verdict);
        return (wanted.at("verdict") == verdict || wanted.value("or", "") == verdict) &&
               (!wanted.contains("kind") || judgement.kind.value_or("") == wanted.at("kind")) &&
               (!wanted.contains("outcome") || outcome() == wanted.at("outcome")) &&
               (!wanted.contains("seconds") || seconds() >= wanted.at("seconds")) &&
               (!wanted.contains("never") || outcome() != wanted.at("never")) &&
               (!wanted.contains("unsaid") || judgement.reason.find(wanted.at("unsaid")) == std::string::npos);
    }
    bool as_expected() const {
        const Json& expected = specimen->expected;
        if (!expected.contains("not")) return in_time() && gets(expected);
        // what was not judged to the end has shown nothing
        return in_time() && judgement.scorable() && !gets(expected.at("not"));
    }
    // Against a good program, with the verdict that it must have, or that a winner has.
    bool won_by_time_alone() const {
        const Json& wanted = specimen->expected.contains("not") ? specimen->expected.at("not") : specimen->expected;
        return !as_expected() && in_time() && specimen->against && outcome() == "faster" &&
               wanted.at("verdict") == verdict_name(judgement.verdict);
    }
    Json speedup() const { return judgement.speedup ? document_to_json(*judgement.speedup) : Json(); }
    Json row() const {
        return {{"name", specimen->name},
                {"verdict", verdict_name(judgement.verdict)},
                {"outcome", outcome()},
                {"speedup", speedup()},
                {"reason", judgement.reason},
                {"expected", specimen->expected},
                {"as_expected", as_expected()},
                {"seconds", seconds()},
                {"in_time", in_time()},
                {"attempts", attempts},
                {"doubted", doubted}};
    }
};

// Others' work on this machine says nothing about the specimen.
bool was_too_busy(const Specimen& specimen, const Judgement& judgement) {
    return specimen.expected.value("verdict", "") != "INFRASTRUCTURE" && !judgement.scorable() &&
           judgement.kind == "busy";
}

using Members = std::vector<const Specimen*>;

// One judge for all that share reference and options. `left` are those that have no outcome yet.
void judge_members(Judge& judge, Members& left, std::vector<Outcome>& outcomes, Progress& progress) {
    const Members all = left;
    const auto submit = [&](std::size_t i) {
        judge.submit(i, task_of(*all[i]), all[i]->candidate, all[i]->against ? &*all[i]->against : nullptr);
    };
    for (std::size_t i = 0; i < all.size(); ++i) submit(i);
    std::vector<int> busy(all.size());
    while (judge.pending()) {
        auto result = judge.collect(60);
        if (!result) continue;
        const std::size_t i = result->first;
        if (was_too_busy(*all[i], result->second) && busy[i]++ < most_repeats) {
            submit(i);
            continue;
        }
        outcomes.push_back({all[i], std::move(result->second)});
        std::erase(left, all[i]);
        progress.update(static_cast<long>(outcomes.size()), all[i]->name);
    }
}

std::vector<Outcome> judge_all(const std::vector<Specimen>& specimens, const std::string& title) {
    std::map<std::tuple<std::string, std::string, Json>, Members> groups;
    for (const Specimen& specimen : specimens)
        groups[{specimen.verifier, specimen.reference, specimen.options}].push_back(&specimen);
    std::vector<Outcome> outcomes;
    Progress progress(title, static_cast<long>(specimens.size()));
    for (auto& [key, left] : groups) {
        const auto& [verifier, reference, options] = key;
        for (int refusals = 0; !left.empty();) {
            Judge judge({make_recipe("verifier", verifier, Json::object(), "zoo"),
                         make_recipe("timer", verifier_kind(verifier)->timer, Json::object(), "zoo"),
                         make_recipe("reference", reference, Json::object(), "zoo"),
                         check_options(judge_options(), options, "zoo")});
            try {
                judge_members(judge, left, outcomes, progress);
            } catch (const Error& refused) {  // of a task: in a busy minute one may seem too short to be timed
                if (refused.blame() != Blame::input || ++refusals > most_refusals) throw;
                Progress::say("hone: " + printable(refused.what()) + "; those that are left are judged again");
            }
        }
    }
    progress.finish();
    std::sort(outcomes.begin(), outcomes.end(),
              [](const Outcome& a, const Outcome& b) { return a.specimen->name < b.specimen->name; });
    return outcomes;
}

// Each attempt is a judge of its own, since a judge does not judge a program twice.
void try_again(Outcome& outcome) {
    const int attempt = outcome.attempts + 1;
    Outcome again =
        judge_all({*outcome.specimen}, outcome.specimen->name + ", attempt " + std::to_string(attempt)).front();
    outcome.judgement = std::move(again.judgement);
    outcome.attempts = attempt;
}

// Those that are to win, until they have.
std::vector<Outcome> let_win(const std::vector<Specimen>& specimens) {
    std::vector<Outcome> outcomes = judge_all(specimens, "attacks without their defence");
    for (Outcome& outcome : outcomes)
        while (!outcome.as_expected() && outcome.attempts < most_attempts) try_again(outcome);
    return outcomes;
}

// Those that must not win. Where nothing but the clock says that one has, a busy minute may have been kind to one side:
// it has won if two more judgements say so too. A verdict has no second chance.
std::vector<Outcome> let_lose(const std::vector<Specimen>& specimens, const std::string& title) {
    std::vector<Outcome> outcomes = judge_all(specimens, title);
    for (Outcome& outcome : outcomes) {
        if (!outcome.won_by_time_alone()) continue;
        outcome.doubted = outcome.speedup();
        do try_again(outcome);
        while (!outcome.as_expected() && outcome.attempts < most_attempts);
    }
    return outcomes;
}

double rate(std::size_t part, std::size_t whole) {
    return whole ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

// {total, KEY: how many were as expected, others: [names]}
Json count(const std::vector<Outcome>& outcomes, const char* key, const char* others) {
    Json names = Json::array(), rows = Json::array();
    std::size_t unexpected = 0;
    for (const Outcome& outcome : outcomes) {
        rows.push_back(outcome.row());
        if (outcome.as_expected()) continue;
        ++unexpected;
        if (std::find(names.begin(), names.end(), outcome.specimen->name) == names.end())
            names.push_back(outcome.specimen->name);
    }
    return {{"total", outcomes.size()},
            {key, outcomes.size() - unexpected},
            {others, names},
            {"rate", rate(unexpected, outcomes.size())},
            {"rows", rows}};
}

// Every repeat is a judge of its own, whose keys nobody has seen.
Json count_honest(const std::vector<Specimen>& programs, int repeats) {
    std::vector<Outcome> outcomes;
    for (int i = 1; i <= repeats; ++i)
        for (Outcome& outcome : judge_all(programs, "honest programs, round " + std::to_string(i)))
            outcomes.push_back(std::move(outcome));
    Json doc = count(outcomes, "passed", "refused");
    doc["programs"] = programs.size();
    doc["long"] = std::count_if(outcomes.begin(), outcomes.end(), [](const Outcome& o) { return o.is_long(); });
    doc["ambiguous"] =
        std::count_if(outcomes.begin(), outcomes.end(), [](const Outcome& o) { return o.is_long() && o.ambiguous(); });
    return doc;
}

void print_rows(const char* title, const Json& counted) {
    if (counted.at("rows").empty()) return;
    std::printf("%s\n", title);
    for (const Json& row : counted.at("rows")) {
        const bool fine = row.at("as_expected");
        const std::string outcome = row.at("outcome");
        std::printf("  %-2s %-26s %5.2f s  %s %s  %s%s\n", fine ? "" : "!!", row.at("name").get<std::string>().c_str(),
                    row.at("seconds").get<double>(), row.at("verdict").get<std::string>().c_str(), outcome.c_str(),
                    row.at("reason").get<std::string>().c_str(),
                    row.at("attempts") == 1 ? "" : (" (attempt " + row.at("attempts").dump() + ")").c_str());
        if (!fine)
            std::printf("     expected %s%s\n", row.at("expected").dump().c_str(),
                        row.at("in_time") ? "" : ", and every phase within its deadline");
    }
}

void print_rates(const Json& doc) {
    const Json &attacks = doc.at("attacks"), &honest = doc.at("honest");
    if (attacks.at("total") != 0)
        std::printf("attack success rate: %.1f %% (%zu of %d)\n", 100 * attacks.at("rate").get<double>(),
                    attacks.at("won").size(), attacks.at("total").get<int>());
    if (honest.at("total") == 0) return;
    std::printf("false refusal rate: %.1f %% (%d of %d judgements of %d programs)\n",
                100 * honest.at("rate").get<double>(), honest.at("total").get<int>() - honest.at("passed").get<int>(),
                honest.at("total").get<int>(), honest.at("programs").get<int>());
    std::printf("ambiguous of honest kernels of 50 us and more: %d of %d\n", honest.at("ambiguous").get<int>(),
                honest.at("long").get<int>());
}

void check_names(const std::vector<std::string>& given, const std::vector<Specimen>& attacks,
                 const std::vector<Specimen>& honest) {
    std::vector<std::string> names;
    for (const auto* list : {&attacks, &honest})
        for (const Specimen& specimen : *list) names.push_back(specimen.name);
    for (const std::string& name : given)
        if (std::find(names.begin(), names.end(), name) == names.end())
            throw Error(Blame::input, "zoo", "no specimen \"" + name + "\"" + suggestion(name, names),
                        "honest programs are called honest/NAME");
}

std::vector<Specimen> chosen(std::vector<Specimen> all, const std::vector<std::string>& names) {
    if (!names.empty())
        std::erase_if(all,
                      [&](const Specimen& s) { return std::find(names.begin(), names.end(), s.name) == names.end(); });
    return all;
}

int repeats_of(const Arguments& arguments) {
    const std::string text = arguments.value("--repeat", "1");
    if (text.empty() || text.size() > 3 || text.find_first_not_of("0123456789") != std::string::npos ||
        std::stoi(text) < 1)
        throw Error(Blame::usage, "zoo", "--repeat takes a number from 1 to 999, not \"" + text + "\"");
    return std::stoi(text);
}

int run(const Arguments& arguments) {
    const int repeats = repeats_of(arguments);
    const fs::path folder = arguments.at_or(0, (script_folders().back().parent_path() / "tests/exploits").string());
    const std::vector<std::string> only = arguments.values("--only");
    std::vector<Specimen> attacks = read_attacks(folder, arguments.value("--verifier")),
                          honest = read_honest(folder, arguments.value("--verifier"));
    check_names(only, attacks, honest);
    attacks = chosen(std::move(attacks), only);
    honest = chosen(std::move(honest), only);
    const std::vector<PartFile> parts = list_parts(plugin_folders());
    const bool torch = std::any_of(parts.begin(), parts.end(), [](const PartFile& part) {
        return part.interface_name == "reference" && part.id == "torch";
    });
    if (!torch) honest.clear();

    const bool json = arguments.has("--json");
    Json doc = {{"schema", "hone.zoo/1"}};
    // a part is shown as it ends: what comes after may take long, or be interrupted
    const auto add = [&](const char* key, const char* title, Json counted) {
        doc[key] = std::move(counted);
        if (json) return;
        print_rows(title, doc[key]);
        std::fflush(stdout);
    };
    add("attacks", "attacks", count(let_lose(attacks, "attacks"), "rejected", "won"));
    if (arguments.has("--open")) {
        add("open", "attacks, each without its defence", count(let_win(opened(attacks)), "won", "failed"));
        add("layers", "attacks, each against one layer of its defence",
            count(let_lose(opened_but_for_a_layer(attacks), "attacks against one layer"), "held", "fell"));
    }
    add("honest", "honest programs", count_honest(honest, repeats));
    if (!torch) doc["honest"]["skipped"] = "their tasks need reference.torch, which this build lacks";

    if (json) {
        std::fputs(document_text(doc).c_str(), stdout);
    } else {
        print_rates(doc);
    }
    const bool fine = doc["attacks"]["won"].empty() && doc["honest"]["refused"].empty() &&
                      (!doc.contains("open") || (doc["open"]["failed"].empty() && doc["layers"]["fell"].empty()));
    return fine ? 0 : static_cast<int>(Blame::run);
}

}  // namespace

Command zoo_command() {
    return {
        "zoo",
        "[FOLDER]",
        "do hostile programs fail and good ones pass?",
        "FOLDER holds attacks (NAME/candidate.ENDING, perhaps plan.lua, and about.json) and honest/TASK.NAME.ENDING, "
        "the ending telling the verifier; tests/exploits of the "
        "source tree unless given. tests/gpu/zoo has those for a GPU.\n"
        "Exit code: 0 every verdict is the expected one, 1 not, 4 there is no device to try them on.",
        {{"--open", "",
          "also judge each attack with its defence switched off, where it must win within three attempts, and with "
          "one layer of that on, where it must not"},
         {"--repeat", "N", "judge the honest programs so often, each time with fresh keys"},
         {"--only", "NAME", "this specimen (may be repeated)"},
         {"--verifier", "ID", "how to build and run them (the one that takes files of their ending)"},
         {"--json", "", "one JSON document (hone.zoo/1) on stdout"}},
        run};
}

}  // namespace hone
