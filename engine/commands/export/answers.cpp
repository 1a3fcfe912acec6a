#include "commands/export/answers.hpp"
#include <regex>

namespace hone {
namespace {

const std::regex& benchmark_name() {
    static const std::regex name("level(\\d{1,3})_((\\d{1,4})_[^:]*)");
    return name;
}

}  // namespace

std::optional<int> level_of(const std::string& task) {
    std::smatch parts;
    return std::regex_match(task, parts, benchmark_name()) ? std::optional(std::stoi(parts[1])) : std::nullopt;
}

BenchmarkAnswers benchmark_answers(const Journal& journal, const std::string& stage) {
    BenchmarkAnswers answers;
    const std::string sql =
        "SELECT op, grp, member, task FROM v_candidate WHERE ?1 = '' OR stage = ?1 ORDER BY 1, 2, 3";
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
    return answers;
}

}  // namespace hone
