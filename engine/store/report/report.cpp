#include "store/report/report.hpp"
#include <algorithm>
#include <sstream>
#include "base/printable.hpp"
#include "base/quantity.hpp"
#include "store/journal_state.hpp"
#include "store/report/no_scores.hpp"
#include "store/report/stage_table.hpp"
#include "store/report/teachers.hpp"
#include "store/runs.hpp"

namespace hone {
namespace {

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
         journal.rows("SELECT doc ->> '$.notes' AS notes FROM event WHERE kind LIKE 'policy%' AND doc ->> "
                      "'$.name' = ? ORDER BY id",
                      {name})) {
        std::istringstream text(row["notes"].is_string() ? row["notes"].get<std::string>() : "");
        for (std::string line; std::getline(text, line);)
            if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
    }
    return lines;
}

Json described(const std::string& name, Json asks) {
    asks["name"] = name;
    return asks;
}

// By an operation's key: {policy, asks?}, or of several {policies: {NAME: asks}} (run/rollout_plan.hpp).
Json policies_in(const Json& key) {
    Json policies = Json::array();
    if (!key.is_object()) return policies;
    if (key.contains("policy")) policies.push_back(described(key["policy"], key.value("asks", Json::object())));
    const Json several = key.value("policies", Json::object());
    for (const auto& [name, asks] : several.items()) policies.push_back(described(name, asks));
    return policies;
}

// Who answered in this run: [{name, model, ...}], by the keys of the operations that have answers.
Json policies_of(const Journal& journal) {
    Json policies = Json::array();
    for (const Json& row :
         journal.rows("SELECT key FROM operation WHERE op IN (SELECT op FROM answer) GROUP BY key ORDER BY min(op)")) {
        for (const Json& policy : policies_in(parse_record(journal.text(row["key"], "an operation's key"), journal)))
            if (std::find(policies.begin(), policies.end(), policy) == policies.end()) policies.push_back(policy);
    }
    for (Json& policy : policies)
        if (const Json notes = notes_of(journal, policy["name"]); !notes.empty()) policy["notes"] = notes;
    return policies;
}

}  // namespace

Json policy_of(const Json& key, const Json& prompt) {
    const Json all = policies_in(key);
    for (const Json& policy : all)
        if (all.size() == 1 || (prompt.is_object() && policy["name"] == prompt.value("policy", ""))) return policy;
    return nullptr;
}

namespace {

std::string plain_text(const Json& value) {
    if (value.is_number()) return plain_number(value.get<double>());
    return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

std::string policy_text(const Json& policy) {
    std::string text = policy["name"];
    for (const auto& [key, value] : policy.items())
        if (key != "name" && key != "notes") text += " " + key + "=" + plain_text(value);
    return text;
}

namespace {

double number_of(const Journal& journal, const std::string& query) {
    return journal.rows("SELECT " + query + " AS n").at(0)["n"];
}

// "$0.42 of $5.00, 12,000 tokens in, 3,400 out"; "" for a run that paid nothing.
std::string money_text(const Json& report) {
    const double usd = report.value("usd", 0.0), maybe = report.value("usd_maybe", 0.0);
    const Json budget = report.value("budget", Json()), tokens = report.value("tokens", Json::object());
    if (usd == 0 && budget.is_null()) return "";
    return "cost " + dollars(usd) + (budget.is_null() ? "" : " of " + dollars(budget)) +
           (maybe > 0 ? ", of which " + dollars(maybe) + " may have been billed" : "") + ", " +
           plain_number(tokens.value("in", 0.0)) + " tokens in, " + plain_number(tokens.value("out", 0.0)) + " out\n";
}

}  // namespace

// Events 'paid' hold the sum of all; older journals have the answers' own costs, and events 'lost' beside them.
double spent_usd(const Journal& journal) {
    return number_of(journal,
                     "max((SELECT total(usd) FROM answer) + (SELECT total(doc ->> '$.usd') FROM event WHERE kind = "
                     "'lost'), (SELECT coalesce(max(doc ->> '$.usd'), 0.0) FROM event WHERE kind = 'paid'))");
}

double maybe_usd(const Journal& journal) {
    return number_of(journal,
                     "max((SELECT total(doc ->> '$.usd') FROM event WHERE kind = 'lost' AND doc ->> '$.maybe'), "
                     "(SELECT coalesce(max(doc ->> '$.maybe'), 0.0) FROM event WHERE kind = 'paid'))");
}

// Parts that took part in judgements as more than one build: their rows may not be of one meter.
Json rebuilt_parts(const Journal& journal) {
    Json parts = Json::array();
    for (const std::string part : {"verifier", "timer", "reference"})
        for (const Json& row :
             journal.rows("SELECT doc ->> '$." + part + ".id' AS id FROM judgement WHERE doc ->> '$." + part +
                          ".file_hash' <> '' GROUP BY 1 HAVING count(DISTINCT doc ->> '$." + part + ".file_hash') > 1"))
            parts.push_back(part + " \"" + row["id"].get<std::string>() + "\"");
    return parts;
}

Json report_json(const Journal& journal) {
    const RunInfo info = journal.info();
    const Json policies = policies_of(journal);
    Json report = {{"schema", "hone.report/1"},   {"run", folder_name(journal)},
                   {"seed", info.seed},           {"program_version", info.program_version},
                   {"stages", Json::array()},     {"verdicts", Json::object()},
                   {"policies", policies},        {"teachers", teachers(journal, policies)},
                   {"state", run_state(journal)}, {"last_step", last_step(journal)}};
    for (const Json& row : journal.rows("SELECT stage, doc, wall FROM stage_row ORDER BY op")) {
        Json stage = parse_record(row["doc"].get_ref<const std::string&>(), journal);
        stage["stage"] = row["stage"];
        if (!row["wall"].is_null()) stage["seconds"] = row["wall"];
        report["stages"].push_back(std::move(stage));
    }
    for (const Json& row : journal.rows("SELECT verdict, count(*) AS n FROM judgement GROUP BY verdict"))
        report["verdicts"][row["verdict"].get<std::string>()] = row["n"];
    const Json total =
        journal.rows("SELECT count(*) AS n, total(tokens_in) AS tokens_in, total(tokens_out) AS tokens_out FROM answer")
            .at(0);
    report["no_score"] = no_scores(journal);
    report["rebuilt"] = rebuilt_parts(journal);
    report["samples"] = total["n"];
    report["tokens"] = {{"in", total["tokens_in"]}, {"out", total["tokens_out"]}};
    report["usd"] = spent_usd(journal);
    report["usd_maybe"] = maybe_usd(journal);
    const auto budgets =
        journal.rows("SELECT doc ->> '$.usd' AS usd FROM event WHERE kind = 'budget' ORDER BY id DESC LIMIT 1");
    report["budget"] = budgets.empty() ? Json(nullptr) : budgets[0]["usd"];
    return report;
}

std::string rebuilt_text(const Json& parts) {
    std::string text;
    for (const Json& part : parts)
        text += printable(part.get<std::string>()) +
                " was rebuilt during this run: its numbers before and after may differ\n";
    return text;
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
    const std::string text = "run " + report["run"].get<std::string>() + ", seed " + report["seed"].dump() + ", hone " +
                             report["program_version"].get<std::string>() + "\n" + unfinished(report) + policies +
                             money_text(report) + "\n";
    const std::string by_teacher = teacher_table(report.value("teachers", Json::array()), width);
    const std::string no_score = no_scores_text(report.value("no_score", Json::array()));
    return text + (stages.empty() ? "no stage has recorded a row yet (run:record)\n" : stage_table(stages, width)) +
           (by_teacher.empty() ? "" : "\n" + by_teacher) +
           (no_score.empty() ? "" : no_score + ": they are in no archive and not in `hone best`\n") +
           rebuilt_text(report.value("rebuilt", Json::array()));
}

}  // namespace hone
