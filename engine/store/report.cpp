#include "store/report.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <sstream>
#include "base/printable.hpp"
#include "base/terminal.hpp"
#include "store/journal_state.hpp"
#include "store/runs.hpp"

namespace hone {
namespace {

enum class Form { count, share, ratio, time };

struct Column {
    const char *key, *title;
    Form form;
    int rank;  // the highest rank is left out first
};

constexpr Column columns[] = {
    {"samples", "samples", Form::count, 3},     {"lost", "lost", Form::count, 0},
    {"success", "success", Form::share, 0},     {"typical", "typical", Form::ratio, 0},
    {"fallback", "fallback", Form::ratio, 1},   {"best_of_n", "best of n", Form::ratio, 0},
    {"shrinkage", "shrinkage", Form::share, 3}, {"mean", "mean", Form::ratio, 8},
    {"median", "median", Form::ratio, 5},       {"max", "max", Form::ratio, 4},
    {"above_1_01", ">1.01x", Form::count, 2},   {"distinct", "distinct", Form::count, 6},
    {"novel", "novel", Form::count, 7},         {"seconds", "time", Form::time, 3},
};

std::string printed(const char* format, double value) {
    char text[48];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

std::string cell(const Json& row, const Column& column) {
    const auto found = row.find(column.key);
    if (found == row.end() || !found->is_number()) return "-";
    const double value = found->get<double>();
    switch (column.form) {
        case Form::count:
            return printed("%.0f", value);
        case Form::share:
            return printed("%.1f %%", 100 * value);
        case Form::ratio:
            return printed(value < 10 ? "%.2fx" : "%.1fx", value);
        case Form::time:
            return duration_text(value);
    }
    return "-";
}

struct Table {
    std::vector<Column> shown;
    std::vector<std::size_t> widths;
    std::size_t first = 5;  // width of the column of stage names
    std::size_t width() const {
        std::size_t sum = first;
        for (const std::size_t w : widths) sum += w + 2;
        return sum;
    }
};

Table lay_out(const Json& stages, std::size_t width_of_page) {
    Table table;
    for (const Json& row : stages)
        table.first = std::max(table.first, row["stage"].get_ref<const std::string&>().size());
    table.first = std::min<std::size_t>(table.first, 40);
    for (const Column& column : columns) {
        std::size_t width = std::string(column.title).size();
        bool filled = false;
        for (const Json& row : stages)
            width = std::max(width, cell(row, column).size()), filled = filled || cell(row, column) != "-";
        if (filled) table.shown.push_back(column), table.widths.push_back(width);
    }
    while (table.width() > width_of_page && table.shown.size() > 1) {
        const auto least = std::max_element(table.shown.begin(), table.shown.end(),
                                            [](const Column& a, const Column& b) { return a.rank < b.rank; });
        table.widths.erase(table.widths.begin() + (least - table.shown.begin()));
        table.shown.erase(least);
    }
    return table;
}

std::string left(const std::string& text, std::size_t width) {
    return text.substr(0, width) + std::string(width > text.size() ? width - text.size() : 0, ' ');
}
std::string right(const std::string& text, std::size_t width) {
    return "  " + std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

// "sft: 6 of 8 answers were cut at max_tokens = 256; raise it"
std::string notes(const Json& stages, std::size_t width) {
    std::string text;
    for (const Json& row : stages)
        if (const auto note = row.find("note"); note != row.end() && note->is_string())
            text += wrapped(row["stage"].get<std::string>() + ": " + note->get<std::string>(), width, "");
    return text;
}

// Of the row that lost most.
std::string why_lost(const Json& stages) {
    std::string reason;
    double most = 0;
    for (const Json& row : stages)
        if (row.value("lost", 0.0) > most) most = row["lost"], reason = row.value("lost_reason", "");
    return printable(reason);
}

std::string legend(const Table& table, const Json& stages, std::size_t width) {
    const auto shows = [&](const char* key) {
        return std::any_of(table.shown.begin(), table.shown.end(),
                           [&](const Column& c) { return std::string(c.key) == key; });
    };
    std::string text;
    if (shows("lost"))
        text += "lost: answers that nobody could judge, in no other number, most often because of this: " +
                why_lost(stages) + "; ";
    if (shows("typical")) text += "typical: geometric mean over tasks of verified answers' speed-up; ";
    if (shows("fallback"))
        text += shows("typical") ? "fallback: the same with max(x, 1), failures 1; "
                                 : "fallback: geometric mean over tasks of max(speed-up, 1), failures 1; ";
    if (shows("best_of_n")) text += "best of n: re-measured on fresh inputs; ";
    if (shows("shrinkage")) text += "shrinkage: what winners lose of their first estimates then; ";
    std::set<std::string> baselines;
    for (const Json& row : stages)
        if (const auto found = row.find("baseline"); found != row.end() && found->is_string()) baselines.insert(*found);
    text += "baseline:";
    for (const std::string& baseline : baselines) text += (baseline == *baselines.begin() ? " " : ", ") + baseline;
    return wrapped(text + (baselines.empty() ? " not recorded" : ""), width, "");
}

// "running, last step: contrastive-rl step 7/36"
std::string unfinished(const Json& report) {
    const std::string state = report.value("state", "finished"), last = report.value("last_step", "");
    if (state == "finished") return "";
    return state + (last.empty() ? "" : ", last step: " + last) + "\n";
}

// What a policy noted of its requests and answers, each line once.
Json notes_of(const Journal& journal, const Json& name) {
    Json lines = Json::array();
    for (const Json& row :
         journal.rows("SELECT doc ->> '$.notes' AS notes FROM event WHERE kind = 'policy' AND doc ->> "
                      "'$.name' = ? ORDER BY id",
                      {name})) {
        std::istringstream text(row["notes"].is_string() ? row["notes"].get<std::string>() : "");
        for (std::string line; std::getline(text, line);)
            if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
    }
    return lines;
}

// Who answered in this run: [{name, model, ...}], by the keys of the operations that have answers.
Json policies_of(const Journal& journal) {
    Json policies = Json::array();
    for (const Json& row : journal.rows("SELECT body FROM operation JOIN text ON sha256 = key WHERE op IN (SELECT op "
                                        "FROM answer) GROUP BY key ORDER BY min(op)")) {
        const Json policy = policy_of(Json::parse(row["body"].get_ref<const std::string&>()));
        if (!policy.is_null() && std::find(policies.begin(), policies.end(), policy) == policies.end())
            policies.push_back(policy);
    }
    for (Json& policy : policies)
        if (const Json notes = notes_of(journal, policy["name"]); !notes.empty()) policy["notes"] = notes;
    return policies;
}

}  // namespace

Json policy_of(const Json& key) {
    if (!key.is_object() || !key.contains("policy")) return nullptr;
    Json policy = key.value("asks", Json::object());
    policy["name"] = key["policy"];
    return policy;
}

std::string policy_text(const Json& policy) {
    std::string text = policy["name"];
    for (const auto& [key, value] : policy.items())
        if (key != "name" && key != "notes")
            text += " " + key + "=" + (value.is_string() ? value.get<std::string>() : value.dump());
    return text;
}

std::string duration_text(double seconds) {
    if (seconds < 10) return printed("%.1f s", seconds);
    if (seconds < 60) return printed("%.0f s", seconds);
    const long whole = std::lround(seconds), large = seconds < 3600 ? 60 : 3600;
    char text[48];
    std::snprintf(text, sizeof text, large == 60 ? "%ld min %02ld s" : "%ld h %02ld min", whole / large,
                  whole % large / (large / 60));
    return text;
}

Json report_json(const Journal& journal) {
    const RunInfo info = journal.info();
    Json report = {{"schema", "hone.report/1"},
                   {"run", info.name},
                   {"seed", info.seed},
                   {"program_version", info.program_version},
                   {"stages", Json::array()},
                   {"verdicts", Json::object()},
                   {"policies", policies_of(journal)},
                   {"state", run_state(journal)},
                   {"last_step", last_step(journal)}};
    for (const Json& row : journal.rows("SELECT stage, doc, wall FROM stage_row ORDER BY op")) {
        Json stage = Json::parse(row["doc"].get_ref<const std::string&>());
        stage["stage"] = row["stage"];
        if (!row["wall"].is_null()) stage["seconds"] = row["wall"];
        report["stages"].push_back(std::move(stage));
    }
    for (const Json& row : journal.rows("SELECT verdict, count(*) AS n FROM judgement GROUP BY verdict"))
        report["verdicts"][row["verdict"].get<std::string>()] = row["n"];
    const Json total = journal
                           .rows(
                               "SELECT count(*) AS n, total(tokens_in) AS tokens_in, total(tokens_out) AS tokens_out, "
                               "total(usd) AS usd FROM answer")
                           .at(0);
    report["samples"] = total["n"];
    report["tokens"] = {{"in", total["tokens_in"]}, {"out", total["tokens_out"]}};
    // of answers that hold nothing, where the run stopped and asked again
    const Json lost = journal.rows("SELECT total(doc ->> '$.usd') AS usd FROM event WHERE kind = 'lost'").at(0);
    report["usd"] = total["usd"].get<double>() + lost["usd"].get<double>();
    return report;
}

std::string report_text(const Json& report, std::size_t width) {
    const Json& stages = report["stages"];
    std::string policies;
    for (const Json& policy : report.value("policies", Json::array()))
        if (policy.size() > 1) {
            policies += "answers by " + policy_text(policy) + "\n";
            for (const Json& note : policy.value("notes", Json::array()))
                policies += "  " + note.get<std::string>() + "\n";
        }
    std::string text = "run " + report["run"].get<std::string>() + ", seed " + report["seed"].dump() + ", hone " +
                       report["program_version"].get<std::string>() + "\n" + unfinished(report) + policies + "\n";
    if (stages.empty()) return text + "no stage has recorded a row yet (run:record)\n";
    const Table table = lay_out(stages, width);
    text += left("stage", table.first);
    for (std::size_t c = 0; c < table.shown.size(); ++c) text += right(table.shown[c].title, table.widths[c]);
    text += "\n";
    for (const Json& row : stages) {
        text += left(row["stage"], table.first);
        for (std::size_t c = 0; c < table.shown.size(); ++c) text += right(cell(row, table.shown[c]), table.widths[c]);
        text += "\n";
    }
    return text + "\n" + notes(stages, width) + legend(table, stages, width);
}

}  // namespace hone
