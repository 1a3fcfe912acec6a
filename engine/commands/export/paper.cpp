#include "commands/export/paper.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <map>
#include <set>
#include "base/error.hpp"
#include "base/stats.hpp"
#include "commands/export/answers.hpp"
#include "commands/export/scores.hpp"

namespace hone {
namespace {

constexpr double notably_faster = 1.01;

struct Answer {
    std::string stage, task;
    std::optional<int> level;
    Judgement judgement;
};
using Chosen = std::vector<const Answer*>;

std::vector<Answer> answers_of(const Journal& journal, std::size_t& lost) {
    std::vector<Answer> answers;
    for (const Json& row : answered_rows(journal)) {
        auto judgement = journal.judgement({row.at("op"), row.at("grp"), row.at("member")});
        if (!judgement) continue;
        if (!judgement->scorable()) ++lost;
        else
            answers.push_back({row.at("stage").is_string() ? row.at("stage") : "", row.at("task"),
                               level_of(row.at("task")), *std::move(judgement)});
    }
    return answers;
}

// Of each task of these answers the best right one, null where none is.
std::map<std::string, const Judgement*> best_of(const Chosen& answers) {
    std::map<std::string, const Judgement*> best;
    for (const Answer* answer : answers) {
        const Judgement*& known = best[answer->task];
        const Judgement& one = answer->judgement;
        if (one.passed() && one.speedup && (!known || one.speedup->lower > known->speedup->lower)) known = &one;
    }
    return best;
}

PaperRow row_of(const std::string& label, const Chosen& answers, const std::string& form) {
    PaperRow row;
    row.label = label;
    std::vector<double> ratios, logs;
    double sum_of_all = 0;
    for (const auto& [task, judgement] : best_of(answers)) {
        const auto ratio = judgement ? ratio_to(*judgement, form) : std::nullopt;
        if (judgement && !ratio) continue;  // right, and this form of the reference was not timed
        ++row.tasks;
        row.right += ratio.has_value();
        row.faster += ratio.value_or(0) > notably_faster;
        sum_of_all += ratio.value_or(1);
        if (ratio) ratios.push_back(*ratio), logs.push_back(std::log(*ratio));
    }
    if (row.tasks) row.mean_of_all = sum_of_all / static_cast<double>(row.tasks);
    if (ratios.empty()) return row;
    row.mean = mean(ratios), row.geomean = std::exp(mean(logs));
    row.most = *std::max_element(ratios.begin(), ratios.end());
    row.upper = quantile(ratios, 0.75), row.median = quantile(ratios, 0.5), row.lower = quantile(ratios, 0.25);
    return row;
}

template <class Which> Chosen choose_answers(const std::vector<Answer>& answers, Which&& which) {
    Chosen chosen;
    for (const Answer& answer : answers)
        if (which(answer)) chosen.push_back(&answer);
    return chosen;
}

std::vector<std::string> stages_of(const std::vector<Answer>& answers) {
    std::vector<std::string> stages;
    for (const Answer& answer : answers)
        if (std::find(stages.begin(), stages.end(), answer.stage) == stages.end()) stages.push_back(answer.stage);
    return stages;
}

// The whole stage: beside wrong answers alone it would look as if it had no right ones. Returns the last such unit.
std::string leave_out_other_units(std::vector<Answer>& answers, std::vector<std::string>& stages) {
    std::string unit;
    for (const Answer& answer : answers)
        if (is_in_other_unit(answer.judgement)) {
            unit = answer.judgement.unit;
            if (!std::ranges::count(stages, answer.stage)) stages.push_back(answer.stage);
        }
    std::erase_if(answers, [&](const Answer& answer) { return std::ranges::count(stages, answer.stage) > 0; });
    return unit;
}

Chosen of_level(const Chosen& answers, int level) {
    Chosen own;
    std::copy_if(answers.begin(), answers.end(), std::back_inserter(own),
                 [&](const Answer* answer) { return answer->level == level; });
    return own;
}

void add_baselines(PaperTables& tables, const Chosen& answers) {
    std::set<std::string> forms = {""};  // the fastest right one
    std::set<int> levels;
    for (const Answer* answer : answers) {
        if (answer->level) levels.insert(*answer->level);
        for (const auto& [form, seconds] : answer->judgement.baseline_forms.value_or(std::map<std::string, double>()))
            forms.insert(form);
    }
    for (const std::string& form : forms) {
        const std::string name = form.empty() ? "fastest form" : form;
        tables.baselines.push_back(row_of(name, answers, form));
        for (const int level : levels)
            tables.baselines.push_back(
                row_of(name + ", level " + std::to_string(level), of_level(answers, level), form));
    }
}

std::string cell(const std::optional<double>& value) {
    char text[32] = "-";
    if (value) std::snprintf(text, sizeof text, "%.3g", *value);
    return text;
}

std::string table_text(const char* title, const std::vector<PaperRow>& rows) {
    std::string text = std::string("| ") + title +
                       " | mean | max | 75 % | 50 % | 25 % | success | >1.01x | geomean | mean, failures 1 |\n"
                       "|---|---|---|---|---|---|---|---|---|---|\n";
    for (const PaperRow& row : rows) {
        const std::string of = "/" + std::to_string(row.tasks) + " | ";
        text += "| " + row.label + " | " + cell(row.mean) + " | " + cell(row.most) + " | " + cell(row.upper) + " | " +
                cell(row.median) + " | " + cell(row.lower) + " | " + std::to_string(row.right) + of +
                std::to_string(row.faster) + of + cell(row.geomean) + " | " + cell(row.mean_of_all) + " |\n";
    }
    return text;
}

Json to_json(const PaperRow& row) {
    const auto or_null = [](const std::optional<double>& value) { return value ? Json(*value) : Json(); };
    return {{"label", row.label},
            {"tasks", row.tasks},
            {"right", row.right},
            {"faster", row.faster},
            {"mean", or_null(row.mean)},
            {"max", or_null(row.most)},
            {"p75", or_null(row.upper)},
            {"p50", or_null(row.median)},
            {"p25", or_null(row.lower)},
            {"geomean", or_null(row.geomean)},
            {"mean_of_all", row.mean_of_all}};
}

}  // namespace

PaperTables paper_tables(const Journal& journal, const std::string& stage) {
    PaperTables tables;
    std::vector<Answer> answers = answers_of(journal, tables.lost);
    if (answers.empty()) throw Error(Blame::input, journal.folder(), "no answer of this run was judged yet");
    const std::string unit = leave_out_other_units(answers, tables.left_out);
    if (answers.empty() || std::ranges::count(tables.left_out, stage)) throw no_times(journal, unit);
    const std::vector<std::string> stages = stages_of(answers);
    for (const std::string& name : stages)
        tables.stages.push_back(
            row_of(name, choose_answers(answers, [&](const Answer& one) { return one.stage == name; }), ""));
    tables.stage = stage.empty() ? stages.back() : stage;
    add_baselines(tables, choose_answers(answers, [&](const Answer& one) { return one.stage == tables.stage; }));
    return tables;
}

std::string paper_text(const PaperTables& tables) {
    const std::string text = table_text("stage", tables.stages) + "\nStage \"" + tables.stage + "\":\n\n" +
                             table_text("baseline", tables.baselines);
    return text + "\nOf each task the best right answer counts, by the lower end of its interval.\n";
}

Json to_json(const PaperTables& tables) {
    Json json = {{"stage", tables.stage}, {"lost", tables.lost}, {"left_out", tables.left_out}};
    for (const auto& [key, rows] : {std::pair{"stages", &tables.stages}, {"baselines", &tables.baselines}}) {
        json[key] = Json::array();
        for (const PaperRow& row : *rows) json[key].push_back(to_json(row));
    }
    return json;
}

}  // namespace hone
