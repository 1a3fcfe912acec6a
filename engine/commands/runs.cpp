// `hone runs`: the runs of this folder, oldest first.
#include <cstdio>
#include "commands/command.hpp"
#include "store/journal.hpp"
#include "store/runs.hpp"

namespace hone {
namespace {

constexpr const char* summary_sql =
    "SELECT name AS run, seed, substr(wall, 1, 19) AS begun, (SELECT max(op) FROM operation) AS operations, (SELECT count(*) FROM "
    "judgement) AS judgements, "
    "(SELECT coalesce(sum(scored), 0) FROM judgement) AS passed, (SELECT total(usd) FROM answer) AS usd FROM run";

Json summary(const std::string& name) {
    try {
        const std::vector<Json> rows = Journal::read(name).rows(summary_sql);
        return rows.empty() ? Json{{"run", name}, {"refused", "holds no run yet"}} : rows.front();
    } catch (const Error& e) {
        return {{"run", name}, {"refused", e.what()}};
    }
}

void print_row(const Json& row) {
    const std::string name = row["run"];
    if (row.contains("refused")) return void(std::printf("%-24s %s\n", name.c_str(), row["refused"].get<std::string>().c_str()));
    const auto number = [&](const char* key) { return static_cast<long long>(row[key].is_null() ? 0 : row[key].get<std::int64_t>()); };
    std::printf("%-24s %-20s %20s %10lld %10lld %8lld %8.2f\n", name.c_str(), row["begun"].get<std::string>().c_str(),
                row["seed"].get<std::string>().c_str(), number("operations"), number("judgements"), number("passed"),
                row["usd"].get<double>());
}

int run(const Arguments& arguments) {
    Json rows = Json::array();
    for (const std::string& name : list_runs()) rows.push_back(summary(name));
    if (arguments.has("--json")) return std::printf("%s\n", Json{{"schema", "hone.runs/1"}, {"runs", rows}}.dump(2).c_str()), 0;
    if (rows.empty()) return std::fprintf(stderr, "runs/ holds none: start one with hone run SCRIPT\n"), 0;
    std::printf("%-24s %-20s %20s %10s %10s %8s %8s\n", "run", "begun (UTC)", "seed", "operations", "judgements", "passed", "USD");
    for (const Json& row : rows) print_row(row);
    return 0;
}

}  // namespace

Command runs_command() { return {"runs", "", "the runs below runs/", "", {{"--json", "", "one JSON document (hone.runs/1)"}}, run}; }

}  // namespace hone
