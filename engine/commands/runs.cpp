// `hone runs`: the runs of this folder, in the order in which they began.
#include "store/runs.hpp"
#include <algorithm>
#include <cstdio>
#include "base/printable.hpp"
#include "commands/command.hpp"
#include "store/journal.hpp"
#include "store/report/report.hpp"

namespace hone {
namespace {

constexpr const char* summary_sql =
    "SELECT seed, wall AS begun, (SELECT max(op) FROM operation) AS operations, (SELECT "
    "count(*) FROM "
    "judgement) AS judgements, "
    "(SELECT coalesce(sum(scored), 0) FROM judgement) AS passed FROM run";

Json summary(const std::string& name) {
    try {
        const Journal journal = Journal::read(name);
        std::vector<Json> rows = journal.rows(summary_sql);
        if (rows.empty()) return {{"run", name}, {"refused", "holds no run yet"}};
        rows.front().update({{"run", name},
                             {"usd", spent_usd(journal)},
                             {"state", run_state(journal)},
                             {"last_step", last_step(journal)}});
        return rows.front();
    } catch (const Error& e) {
        return {{"run", name}, {"refused", e.what()}};
    }
}

using Row = std::vector<std::string>;

Row cells(const Json& row) {
    const auto number = [&](const char* key) {
        return std::to_string(row[key].is_null() ? 0 : row[key].get<std::int64_t>());
    };
    char usd[32];
    std::snprintf(usd, sizeof usd, "%.2f", row["usd"].get<double>());
    std::string begun = row["begun"].get<std::string>().substr(0, 16);  // to the minute
    std::replace(begun.begin(), begun.end(), 'T', ' ');
    return {row["run"],
            begun,
            row["state"],
            row["last_step"],
            row["seed"],
            number("operations"),
            number("judgements"),
            number("passed"),
            usd};
}

constexpr std::size_t texts = 4;  // columns to the left; numbers stand to the right

void print_table(const std::vector<Row>& rows) {
    std::vector<std::size_t> widths(rows.front().size());
    for (const Row& row : rows)
        for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
    for (const Row& row : rows) {
        std::string line;
        for (std::size_t c = 0; c < row.size(); ++c) {
            const std::string space(widths[c] - row[c].size(), ' ');
            line += (c ? "  " : "") + (c < texts ? row[c] + space : space + row[c]);
        }
        std::printf("%s\n", printable(line).c_str());
    }
}

int run_runs(const Arguments& arguments) {
    Json rows = Json::array();
    for (const std::string& name : list_runs()) rows.push_back(summary(name));
    std::stable_sort(rows.begin(), rows.end(), [](const Json& a, const Json& b) {
        return a.value("begun", std::string()) < b.value("begun", std::string());
    });
    if (arguments.has("--json"))
        return std::fputs(document_text({{"schema", "hone.runs/1"}, {"runs", rows}}).c_str(), stdout), 0;
    if (rows.empty()) return std::fprintf(stderr, "runs/ holds none: start one with hone run SCRIPT\n"), 0;
    std::vector<Row> table = {{"run", "begun (UTC)", "state", "last step", "seed", "ops", "judged", "passed", "USD"}};
    for (const Json& row : rows)
        if (!row.contains("refused")) table.push_back(cells(row));
    print_table(table);
    for (const Json& row : rows)
        if (row.contains("refused"))
            std::printf("%s\n",
                        printable(row["run"].get<std::string>() + ": " + row["refused"].get<std::string>()).c_str());
    return 0;
}

}  // namespace

Command runs_command() {
    return {"runs", "", "the runs below runs/", "", {{"--json", "", "one JSON document (hone.runs/1)"}}, run_runs};
}

}  // namespace hone
