// The archive: a run's passed candidates, and free queries for reports.
#include "base/error.hpp"
#include "base/options.hpp"
#include "domain/document_json.hpp"
#include "store/journal_state.hpp"

namespace hone {
namespace {

// The newest judgement in each unit of each program that counts: one that says anything about it, with all defences
// on, and against the task's own baseline (a ratio to another program is no rank; who looks closer with a defence off
// takes no score away). Candidates with one canonical text are one program: who submits it again with another comment
// gets no second chance, and what is refused keeps no earlier score in any unit. Ties of an order are broken by hash,
// so that draws can be replayed. Equal programs of a group share one judgement: it counts once, by its id. Tasks of one
// name and different hashes are different tasks.
constexpr const char* archive_sql = R"sql(
WITH said AS (
  SELECT judgement.*, coalesce(canonical, hash) AS program, coalesce(task_hash, '') AS definition,
    row_number() OVER (PARTITION BY task, coalesce(task_hash, ''), coalesce(canonical, hash) ORDER BY op DESC, grp DESC, member DESC) AS age,
    row_number() OVER (PARTITION BY task, coalesce(task_hash, ''), coalesce(canonical, hash), verdict = 'PASSED', unit ORDER BY op DESC, grp DESC, member DESC) AS age_in_unit
  FROM judgement JOIN candidate USING (task, hash)
  WHERE hash IS NOT NULL AND verdict <> 'INFRASTRUCTURE' AND json_array_length(judgement.doc, '$.defences_off') = 0
    AND speedup_baseline IS NOT 'against' AND (?1 = '' OR task = ?1) AND (?2 = 0 OR op < ?2)
    AND (?3 IS NULL OR op < ?3 OR op IN (SELECT value FROM json_each(?4))) AND (?5 = '' OR task_hash = ?5)),
counted AS (SELECT task, definition, program, unit, count(DISTINCT id) AS judged FROM said WHERE verdict = 'PASSED' GROUP BY 1, 2, 3, 4),
refused AS (SELECT task, definition, program, min(age) AS newest FROM said WHERE verdict <> 'PASSED' GROUP BY 1, 2, 3)
SELECT task, hash, code, plan, language, doc -> '$.speedup', coalesce(doc -> '$.seconds', 'null'), coalesce(doc -> '$.cost', 'null'), judged, op, unit, definition
FROM said JOIN counted USING (task, definition, program, unit) LEFT JOIN refused USING (task, definition, program)
JOIN candidate USING (task, hash)
WHERE verdict = 'PASSED' AND age_in_unit = 1 AND age < coalesce(newest, age + 1) AND (?6 = '' OR unit = ?6) ORDER BY )sql";

std::optional<judged::Seconds> per_call(const Json& json, const char* key) {
    if (json.is_null()) return std::nullopt;
    return read_record<judged::Seconds>(json, key);
}

std::string order_sql(const std::string& order) {
    const bool falling = order.starts_with("-");
    const std::string name = falling ? order.substr(1) : order;
    const std::string way = falling ? " DESC" : " ASC";
    if (name == "age") return falling ? "op, grp, member" : "op DESC, grp DESC, member DESC";
    if (name == "speedup.estimate" || name == "speedup.lower" || name == "speedup.upper")
        return "speedup_" + name.substr(8) + way;
    throw Error(Blame::input, "archive", "no order \"" + order + "\"",
                choose(name, {"age", "random", "speedup.estimate", "speedup.lower", "speedup.upper"}, "orders") +
                    "; a leading minus turns all but random round");
}

}  // namespace

std::vector<Exemplar> Journal::find(const Query& query) const {
    const std::string sql =
        archive_sql + order_sql(query.order) + ", hash LIMIT " + std::to_string(query.limit > 0 ? query.limit : -1);
    Statement row(state_->database, sql);
    row.with(query.task, query.before_op, query.branched_at, dump(Json(query.own)), query.task_hash, query.unit);
    std::vector<Exemplar> found;
    while (row.step()) {
        const std::string whose = " of program " + row.bytes(1).substr(0, 12) + " of task \"" + row.bytes(0) + "\"";
        found.push_back({row.bytes(0), row.bytes(1), state_->body(row.bytes(2), "the code" + whose),
                         row.null(3) ? std::string() : state_->body(row.bytes(3), "the plan" + whose), row.bytes(4),
                         read_record<Speedup>(state_->parse(row.bytes(5)), "speedup"),
                         per_call(state_->parse(row.bytes(6)), "seconds"),
                         per_call(state_->parse(row.bytes(7)), "cost"), row.integer(8), row.integer(9), row.bytes(10),
                         row.bytes(11)});
    }
    return found;
}

std::vector<Json> Journal::rows(const std::string& sql, const std::vector<Json>& binds) const {
    Statement row(state_->database, sql);
    row.with_list(binds);
    std::vector<Json> found;
    while (row.step()) found.push_back(row.row());
    return found;
}

}  // namespace hone
