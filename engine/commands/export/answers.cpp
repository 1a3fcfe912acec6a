#include "commands/export/answers.hpp"
#include <algorithm>
#include <regex>
#include "base/error.hpp"
#include "base/options.hpp"

namespace hone {
namespace {

const std::regex& benchmark_name() {
    static const std::regex name("level(\\d{1,3})_((\\d{1,4})_[^:]*)");
    return name;
}

// Answers to prompts; a stage judges its best once more, which is no further answer. Of a run that only judges: all.
const std::string answered =
    "SELECT op, grp, member, task, stage FROM v_candidate WHERE "
    "(stage IS NOT NULL OR NOT EXISTS (SELECT 1 FROM v_candidate WHERE stage IS NOT NULL))";

}  // namespace

std::vector<Json> answered_rows(const Journal& journal) { return journal.rows(answered + " ORDER BY 1, 2, 3"); }

void require_stage(const Journal& journal, const std::string& stage) {
    std::vector<std::string> stages;
    for (const Json& row :
         journal.rows("SELECT stage FROM v_candidate WHERE stage IS NOT NULL AND verdict <> 'INFRASTRUCTURE' GROUP BY "
                      "stage ORDER BY min(op)"))
        stages.push_back(row["stage"]);
    if (!stage.empty() && std::find(stages.begin(), stages.end(), stage) == stages.end())
        throw Error(Blame::input, journal.folder(), "no stage \"" + stage + "\" with answers",
                    choose(stage, stages, "stages"));
}

bool is_in_other_unit(const Judgement& judgement) { return judgement.passed() && judgement.unit != "s"; }

Error no_times(const Journal& journal, const std::string& unit) {
    return {Blame::input, journal.folder(), "answers were measured in \"" + unit + "\", and these files hold times",
            "name a stage that was measured in seconds: --stage"};
}

// Also of a released program's task, which has a number and no name: "level1_19".
std::optional<int> level_of(const std::string& task) {
    static const std::regex name("level(\\d{1,3})_\\d{1,4}(_[^:]*)?");
    std::smatch parts;
    return std::regex_match(task, parts, name) ? std::optional(std::stoi(parts[1])) : std::nullopt;
}

BenchmarkAnswers benchmark_answers(const Journal& journal, const std::string& stage) {
    BenchmarkAnswers answers;
    const std::string sql = answered + " AND (?1 = '' OR stage = ?1) ORDER BY 1, 2, 3";
    for (const Json& row : journal.rows(sql, {stage})) {
        std::smatch parts;
        const std::string task = row.at("task");
        auto judgement = journal.judgement({row.at("op"), row.at("grp"), row.at("member")});
        if (!judgement || !std::regex_match(task, parts, benchmark_name())) {
            ++answers.others;
        } else if (!judgement->scorable()) {
            ++answers.lost;
        } else {
            answers.levels[std::stoi(parts[1])].push_back(
                {std::stoi(parts[3]), parts[2].str() + ".py", *std::move(judgement)});
        }
    }
    for (const auto& [level, list] : answers.levels)
        for (const BenchmarkAnswer& answer : list)
            if (is_in_other_unit(answer.judgement)) throw no_times(journal, answer.judgement.unit);
    return answers;
}

}  // namespace hone
