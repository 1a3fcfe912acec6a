#include "store/report/no_scores.hpp"
#include "store/record_text.hpp"

namespace hone {

Json no_scores(const Journal& journal) {
    Json list = Json::array();
    for (const Json& row : journal.rows("SELECT doc -> '$.defences_off' AS why, count(*) AS passed FROM judgement "
                                        "WHERE verdict = 'PASSED' AND NOT scored GROUP BY 1 ORDER BY min(op)"))
        list.push_back(
            {{"why", parse_record(row["why"].get_ref<const std::string&>(), journal)}, {"passed", row["passed"]}});
    return list;
}

std::string no_scores_text(const Json& no_scores) {
    std::int64_t passed = 0;
    std::string reasons;
    for (const Json& one : no_scores) {
        passed += one["passed"].get<std::int64_t>();
        for (const Json& why : one["why"])
            if (reasons.find(why.get<std::string>()) == std::string::npos)
                reasons += (reasons.empty() ? "" : ", ") + why.get<std::string>();
    }
    if (passed == 0) return {};
    return std::to_string(passed) +
           (passed == 1 ? " passed judgement is no score (" : " passed judgements are no scores (") + reasons + ")";
}

}  // namespace hone
