// `hone export FORM RUN`: a run's answers to KernelBench's problems as that benchmark's result files, with the numbers
// that its field reports; any run's answers in the tables of the CUDA-L1 paper; or its verified programs as
// conversations.
#include <algorithm>
#include <cstdio>
#include "base/options.hpp"
#include "base/paths.hpp"
#include "base/printable.hpp"
#include "base/progress.hpp"
#include "commands/command.hpp"
#include "commands/export/messages.hpp"
#include "commands/export/paper.hpp"
#include "commands/export/results.hpp"
#include "commands/export/scores.hpp"
#include "store/report/no_scores.hpp"
#include "store/runs.hpp"

namespace hone {
namespace {

void print_level(int level, const Scores& scores) {
    const auto ratio = [](const std::optional<double>& value) {
        char text[32] = "-";
        if (value) std::snprintf(text, sizeof text, "%.3gx", *value);
        return std::string(text);
    };
    std::printf("%5d %8zu %7zu %8.1f %% %7.1f %%", level, scores.problems, scores.answers, 100 * scores.compiled,
                100 * scores.correct);
    for (const auto& [threshold, share] : scores.fast) std::printf(" %6.1f %%", 100 * share);
    std::printf(" %8s %8s %8s %8s", ratio(scores.geomean).c_str(), ratio(scores.geomean_of_all).c_str(),
                ratio(scores.median).c_str(), ratio(scores.most).c_str());
    for (const auto& [k, share] : scores.passes) std::printf("  pass@%zu %.1f %%", k, 100 * share);
    std::printf("\n");
}

void print_head(const std::string& form) {
    std::printf("against %s\n", form.empty() ? "the fastest right form of the reference" : form.c_str());
    std::printf("level problems answers   compiled   correct");
    for (const double threshold : fast_thresholds) std::printf("  fast_%-3g", threshold);
    std::printf("  geomean   of all   median      max\n");
}

void tell_of_left_out(std::size_t count, const char* why) {
    if (count)
        Progress::say("hone: left out: " + std::to_string(count) + (count == 1 ? " answer " : " answers ") + why);
}

// They are marked in what is written, and counted.
Json tell_of_no_scores(const Journal& journal) {
    const Json list = no_scores(journal);
    if (const std::string text = no_scores_text(list); !text.empty())
        Progress::say("hone: not left out: " + text + ": no results to publish");
    return list;
}

constexpr const char* not_judged = "that nobody could judge";

void require_form(const BenchmarkAnswers& answers, const std::string& form) {
    if (form.empty()) return;
    std::vector<std::string> known;
    for (const auto& [level, list] : answers.levels)
        for (const BenchmarkAnswer& answer : list) {
            if (!answer.judgement.baseline_forms) continue;
            for (const auto& [name, seconds] : *answer.judgement.baseline_forms)
                if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
        }
    if (std::find(known.begin(), known.end(), form) == known.end())
        throw Error(Blame::usage, "--baseline", "no judgement of this run has a form \"" + form + "\" of the reference",
                    choose(form, known, "forms"));
}

void refuse(const Arguments& arguments, const std::vector<const char*>& flags, const std::string& why) {
    for (const char* flag : flags)
        if (arguments.has(flag)) throw Error(Blame::usage, flag, why);
}

int export_kernelbench(const Arguments& arguments, const Journal& journal) {
    const BenchmarkAnswers answers = benchmark_answers(journal, arguments.value("--stage"));
    const std::string form = arguments.value("--baseline"), hardware = arguments.value("--hardware", "hone");
    const Json no_score = tell_of_no_scores(journal);
    tell_of_left_out(answers.lost, not_judged);
    tell_of_left_out(answers.others, "to other tasks, or at other sizes than the benchmark's");
    if (answers.levels.empty() && arguments.has("--stage"))
        throw Error(Blame::input, journal.folder(),
                    "stage \"" + arguments.value("--stage") + "\" has no answer to a problem of KernelBench",
                    "`hone export cuda-l1` lists the stages");
    if (answers.levels.empty())
        throw Error(Blame::input, journal.folder(), "no answer to a problem of KernelBench was judged",
                    "`hone import kernelbench PATH` makes its tasks");
    require_form(answers, form);
    const fs::path folder = arguments.value("--out", "kernelbench");
    Json levels = Json::object();
    for (const auto& [level, list] : answers.levels) {
        write_results(folder, folder_name(journal), hardware, level, list);
        levels[std::to_string(level)] = to_json(scores_of(list, form));
    }
    if (arguments.has("--json")) {
        std::fputs(document_text({{"schema", "hone.kernelbench/1"},
                                  {"run", folder_name(journal)},
                                  {"baseline", form.empty() ? Json() : Json(form)},
                                  {"lost", answers.lost},
                                  {"others", answers.others},
                                  {"no_score", no_score},
                                  {"folder", folder.string()},
                                  {"levels", levels}})
                       .c_str(),
                   stdout);
        return 0;
    }
    print_head(form);
    for (const auto& [level, list] : answers.levels) print_level(level, scores_of(list, form));
    std::printf("%s\n", printable(folder.string()).c_str());
    return 0;
}

int export_paper(const Arguments& arguments, const Journal& journal) {
    refuse(arguments, {"--out", "--baseline", "--hardware"},
           "belongs to the form kernelbench; cuda-l1 prints tables of all baselines");
    const PaperTables tables = paper_tables(journal, arguments.value("--stage"));
    tell_of_left_out(tables.lost, not_judged);
    for (const std::string& name : tables.left_out)
        Progress::say("hone: left out: stage \"" + name + "\", which was not measured in seconds");
    Json document = to_json(tables);
    document.update(
        {{"schema", "hone.cuda-l1/1"}, {"run", folder_name(journal)}, {"no_score", tell_of_no_scores(journal)}});
    std::fputs((arguments.has("--json") ? document_text(document) : printable(paper_text(tables))).c_str(), stdout);
    return 0;
}

int export_messages(const Arguments& arguments, const Journal& journal) {
    refuse(arguments, {"--out", "--baseline", "--hardware", "--json"},
           "is not for the form messages, which writes one JSON object a line to FILE");
    const ExportedMessages all = exported_messages(journal, arguments.value("--stage"));
    tell_of_left_out(all.repeated, "whose program stands there already");
    tell_of_left_out(all.rendered, "to prompts of ready-rendered text, which are no conversations");
    if (all.conversations == 0)
        throw Error(Blame::input, journal.folder(), "no verified program was written as an answer to messages",
                    "`hone report --json` counts the verdicts; the prompt \"compact\" is ready-rendered text");
    const std::string file = arguments.at_or(2, "");
    if (file.empty()) return std::fputs(all.lines.c_str(), stdout), 0;
    write_file(file, all.lines);
    std::printf("%zu conversations: %s\n", all.conversations, printable(file).c_str());
    return 0;
}

int run(const Arguments& arguments) {
    static const std::vector<std::string> forms = {"cuda-l1", "kernelbench", "messages"};
    const std::string& form = arguments.at(0);
    if (std::find(forms.begin(), forms.end(), form) == forms.end())
        throw Error(Blame::usage, "export", "\"" + form + "\" is no form of results", choose(form, forms, "forms"));
    if (form != "messages" && arguments.count() > 2)
        throw Error(Blame::usage, "export", "\"" + arguments.at(2) + "\": only the form messages writes a FILE");
    const Journal journal = Journal::read(arguments.at(1));
    require_stage(journal, arguments.value("--stage"));
    if (form == "messages") return export_messages(arguments, journal);
    return form == "kernelbench" ? export_kernelbench(arguments, journal) : export_paper(arguments, journal);
}

}  // namespace

Command export_command() {
    return {
        "export",
        "FORM RUN [FILE]",
        "results of a run in the form of others",
        "FORM kernelbench: the answers to the tasks that `hone import kernelbench` made, one folder a level, as\n"
        "KernelBench's scripts/benchmark_eval_analysis.py reads them, and the reference's times as its baseline "
        "files.\n"
        "fast_p is the share of answers that are right and more than p times as fast; geomean, median and max are of\n"
        "right answers, in \"of all\" a wrong one counts 1. Of several answers to a problem each has the same weight.\n"
        "FORM cuda-l1: the tables of the CUDA-L1 paper, by stage, and of one stage by baseline and level, in "
        "Markdown.\n"
        "Of several answers to a task the best right one counts, by the lower end of its interval.\n"
        "FORM messages: the answers that passed, each with its prompt, as JSONL for fine-tuning: {\"messages\": "
        "[{\"role\",\n"
        "\"content\"}, ...], \"hone\": {task, speedup, teacher, ...}}, one a line, to FILE or standard output. "
        "hone.corpus\n"
        "reads it.",
        {{"--out", "DIR", "folder to write to (kernelbench)"},
         {"--stage", "NAME", "answers of this stage alone; cuda-l1: the stage of the second table (the last one)"},
         {"--baseline", "FORM", "ratios to this form of the reference: eager, graph, compiled (the fastest right one)"},
         {"--hardware", "NAME", "of the machine, for the baseline files (hone)"},
         {"--json", "", "one JSON document (hone.kernelbench/1, hone.cuda-l1/1)"}},
        run};
}

}  // namespace hone
