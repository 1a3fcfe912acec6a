#include "commands/export/answers.hpp"
#include <regex>

namespace hone {

BenchmarkAnswers benchmark_answers(const Journal& journal, const std::string& stage) {
    static const std::regex name("level(\\d{1,3})_((\\d{1,4})_[^:]*)");
    BenchmarkAnswers answers;
    const std::string sql =
        "SELECT op, grp, member, task FROM v_candidate WHERE ?1 = '' OR stage = ?1 ORDER BY 1, 2, 3";
    for (const Json& row : journal.rows(sql, {stage})) {
        std::smatch parts;
        const std::string task = row.at("task");
        auto judgement = journal.judgement({row.at("op"), row.at("grp"), row.at("member")});
        if (!judgement || !std::regex_match(task, parts, name)) {
            ++answers.others;
        } else if (!judgement->scorable()) {
            ++answers.lost;
        } else {
            answers.levels[std::stoi(parts[1])].push_back(
                {std::stoi(parts[3]), parts[2].str() + ".py", *std::move(judgement)});
        }
    }
    return answers;
}

}  // namespace hone
