#include "store/report/teachers.hpp"
#include <algorithm>
#include <map>
#include "base/terminal.hpp"
#include "store/report/table.hpp"

namespace hone {
namespace {

// An operation that asks one policy has its name in the key, one that asks several has it in each prompt.
const std::string answers =
    "WITH written AS (SELECT a.op, a.grp, a.member, p.stage, coalesce(p.doc ->> '$.policy', k.body ->> '$.policy') AS "
    "policy, a.usd, "
    "a.tokens_in, a.tokens_out, j.verdict, j.scored, j.speedup_estimate AS speedup FROM answer a JOIN prompt p USING "
    "(op, "
    "grp) JOIN operation o USING (op) JOIN text k ON k.sha256 = o.key LEFT JOIN judgement j USING (op, grp, member)) ";
const std::string of_several =
    answers +
    "SELECT * FROM written WHERE stage IN (SELECT stage FROM written GROUP BY stage HAVING count(DISTINCT policy) "
    "> 1) ORDER BY op, grp, member";

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

struct Sums {
    std::size_t trials = 0, passed = 0, lost = 0;
    double usd = 0, tokens_in = 0, tokens_out = 0;
    std::vector<double> speedups;

    void add(const Json& row) {
        usd += row["usd"].get<double>(), tokens_in += row["tokens_in"].get<double>();
        tokens_out += row["tokens_out"].get<double>();
        if (row["verdict"].is_null()) return;
        if (row["verdict"] == "INFRASTRUCTURE") ++lost;
        else ++trials;
        if (row["scored"] != 1) return;
        ++passed;
        if (row["speedup"].is_number()) speedups.push_back(row["speedup"]);
    }
    Json row() const {
        Json row = {
            {"trials", trials}, {"passed", passed}, {"usd", usd}, {"tokens_in", tokens_in}, {"tokens_out", tokens_out}};
        if (lost) row["lost"] = lost;
        if (trials) row["success"] = static_cast<double>(passed) / static_cast<double>(trials);
        if (!speedups.empty()) row["median"] = median(speedups);
        return row;
    }
};

std::string title_of(const Json& policies, const std::string& name) {
    for (const Json& policy : policies)
        if (policy["name"] == name && policy.contains("model") && policy["model"].is_string()) return policy["model"];
    return name;
}

// Two policies that ask one model are told apart by their names.
void tell_apart(Json& rows) {
    std::map<std::pair<std::string, std::string>, int> count;
    for (const Json& row : rows) ++count[{row["stage"], row["teacher"]}];
    for (Json& row : rows)
        if (count[{row["stage"], row["teacher"]}] > 1)
            row["teacher"] = row["teacher"].get<std::string>() + " (" + row["policy"].get<std::string>() + ")";
}

}  // namespace

Json teachers(const Journal& journal, const Json& policies) {
    std::vector<std::pair<std::string, std::string>> order;  // stage, policy
    std::map<std::pair<std::string, std::string>, Sums> sums;
    for (const Json& row : journal.rows(of_several)) {
        const std::pair<std::string, std::string> key{row["stage"], row["policy"]};
        if (!sums.contains(key)) order.push_back(key);
        sums[key].add(row);
    }
    Json rows = Json::array();
    for (const auto& key : order) {
        Json row = sums[key].row();
        row.update({{"stage", key.first}, {"policy", key.second}, {"teacher", title_of(policies, key.second)}});
        rows.push_back(std::move(row));
    }
    tell_apart(rows);
    return rows;
}

std::string teacher_table(const Json& rows, std::size_t width) {
    using Form = TableColumn::Form;
    if (rows.empty()) return "";
    const bool one_stage =
        std::all_of(rows.begin(), rows.end(), [&](const Json& row) { return row["stage"] == rows[0]["stage"]; });
    std::vector<TableColumn> columns = {
        {"stage", "stage", Form::own, 0},
        {"trials", "trials", Form::count, 0},
        {"lost", "lost", Form::count, 3},
        {"passed", "passed", Form::count, 0},
        {"success", "success", Form::share, 1},
        {"median", "median", Form::ratio, 0},
        {"tokens_in", "tokens in", Form::count, 2},
        {"tokens_out", "tokens out", Form::count, 2},
        {"usd", "cost", Form::money, 0},
    };
    if (one_stage) columns.erase(columns.begin());
    return Table(rows, "teacher", "teacher", columns, width).text() + "\n" +
           wrapped(
               "trials: answers that were judged; median: of the speed-ups of those that passed; cost: in US dollars, "
               "0 "
               "where no price is known",
               width, "");
}

}  // namespace hone
