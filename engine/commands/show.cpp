// `hone show ID`: everything behind one score.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include "base/diff.hpp"
#include "base/printable.hpp"
#include "base/quantity.hpp"
#include "base/stats.hpp"
#include "commands/command.hpp"
#include "domain/judgement.hpp"
#include "store/evidence.hpp"
#include "store/report/report.hpp"

namespace hone {
namespace {

void section(const std::string& title, const std::string& body) {
    if (!body.empty()) std::printf("\n%s\n%s%s", title.c_str(), body.c_str(), body.ends_with('\n') ? "" : "\n");
}

std::string text_or(const Json& object, const char* key, const std::string& absent) {
    return object.is_object() && object.contains(key) && object[key].is_string() ? object[key].get<std::string>()
                                                                                 : absent;
}

// Twelve rows over the middle of both sides' samples; what lies outside is counted at the ends.
std::string histogram(const judged::Samples& samples, const std::string& unit) {
    constexpr int rows = 12, width = 30, digits = 5;
    std::vector<double> all = samples.candidate;
    all.insert(all.end(), samples.baseline.begin(), samples.baseline.end());
    const double least = quantile(all, 0.01), most = std::max(quantile(all, 0.98), least * (1 + 1e-9)),
                 step = (most - least) / rows;
    const auto count = [&](const std::vector<double>& values) {
        std::vector<int> counts(rows, 0);
        for (const double v : values)
            ++counts[static_cast<std::size_t>(std::clamp(static_cast<int>((v - least) / step), 0, rows - 1))];
        return counts;
    };
    const std::vector<int> left = count(samples.candidate), right = count(samples.baseline);
    const int top =
        std::max({1, *std::max_element(left.begin(), left.end()), *std::max_element(right.begin(), right.end())});
    std::vector<std::string> from = {"from"};
    for (int i = 0; i < rows; ++i) from.push_back(engineering(least + i * step, unit, digits));
    std::size_t wide = 11;
    for (const std::string& label : from) wide = std::max(wide, label.size());
    const auto line = [&](const std::string& label, const std::string& mine, const std::string& other) {
        return std::string(wide - label.size(), ' ') + label + "  " + mine + std::string(width + 2 - mine.size(), ' ') +
               other + "\n";
    };
    const auto bar = [&](int n) { return std::string(static_cast<std::size_t>((n * width + top - 1) / top), '#'); };
    std::string text = line(from[0], "candidate", "baseline");
    for (std::size_t i = 0; i < rows; ++i) text += line(from[i + 1], bar(left[i]), bar(right[i]));
    return text;
}

// What is short and has no line of its own.
void print_rest(const Json& judgement) {
    static const std::set<std::string> shown = {"samples", "speedup", "log_speedup", "reason", "verdict",
                                                "passed",  "log",     "schema",      "id",     "task",
                                                "outcome", "hash",    "scorable"};
    for (const auto& [key, value] : judgement.items())
        if (!shown.contains(key) && !value.empty() && value != "" && value.dump().size() < 80)
            std::printf("  %s: %s\n", key.c_str(), value.dump().c_str());
}

std::string reward_or(const Json& number, const char* absent) { return number.is_number() ? number.dump() : absent; }

// "0.5 clipped, smoothed 1.25; optimised 1.25, advantage 0.75"
std::string reward_text(const Json& reward) {
    const std::string reason = text_or(reward, "reason", "");
    std::string text = reward_or(reward["raw"], "left out") + (reason.empty() ? "" : " ") + reason;
    if (!reward["changes"].is_array()) return text;
    for (const Json& change : reward["changes"])
        text += ", " + text_or(change, "name", "") + " " + reward_or(change.value("value", Json()), "left out");
    return text + "; optimised " + reward_or(reward["value"], "left out") + ", " +
           (reward["advantage"].is_number() ? "advantage " + reward["advantage"].dump() : "no part in the update");
}

// "the same program in 2 other answers: operation 3, group 0, member 1; operation 4, group 0, member 7"
std::string shared_text(const Json& shared) {
    constexpr std::size_t most = 4;
    std::string text = "the same program in " + std::to_string(shared.size()) +
                       (shared.size() == 1 ? " other answer: " : " other answers: ");
    for (std::size_t i = 0; i < std::min(shared.size(), most); ++i)
        text += (i ? "; operation " : "operation ") + shared[i]["op"].dump() + ", group " + shared[i]["group"].dump() +
                ", member " + shared[i]["member"].dump();
    return text + (shared.size() > most ? "; ..." : "");
}

void print_head(const Json& found, const Judgement& j) {
    std::printf("%s  %s", found["id"].get<std::string>().c_str(), verdict_name(j.verdict));
    if (j.speedup)
        std::printf(
            "  %s %s against %s", j.outcome.value_or("").c_str(),
            ratio_text(j.unit, j.speedup->estimate, j.speedup->lower, j.speedup->upper.value_or(HUGE_VAL)).c_str(),
            j.speedup->baseline.c_str());
    std::printf("\ntask %s, ", j.task.c_str());
    if (found["run"].is_null())
        std::printf("hone judge %s, %s\n", text_or(found["files"], "program", "-").c_str(),
                    text_or(found, "made", "?").c_str());
    else
        std::printf("run %s, operation %s, group %s, member %s\n", found["run"].get<std::string>().c_str(),
                    found["op"].dump().c_str(), found["group"].dump().c_str(), found["member"].dump().c_str());
    if (const Json shared = found.value("shared", Json::array()); !shared.empty())
        std::printf("%s\n", shared_text(shared).c_str());
    if (const Json policy = found.value("policy", Json()); policy.is_object())
        std::printf("answer by %s\n", policy_text(policy).c_str());
    if (!found["candidate"].is_null())
        std::printf("candidate %s\n", found["candidate"]["hash"].get<std::string>().c_str());
    if (!j.reason.empty()) std::printf("reason: %s\n", j.reason.c_str());
    if (const Json reward = found.value("reward", Json()); !reward.is_null())
        std::printf("reward: %s\n", reward_text(reward).c_str());
    print_rest(to_json(j));
}

// {"pairs": 512, "seed": ""} as "pairs=512 seed=\"\""
std::string options_text(const Json& options) {
    std::string text;
    for (const auto& [name, value] : options.items()) text += " " + name + "=" + value.dump();
    return text;
}

// One line each: the parts with their options, the judge's options, the compiler and its command, the machine, hone's
// version.
std::string settings_text(const Json& found, const Judgement& j) {
    std::string text;
    for (const auto& [name, part] :
         {std::pair{"verifier", &j.verifier}, {"timer", &j.timer}, {"reference", &j.reference}})
        if (*part) text += "  " + std::string(name) + "." + (*part)->id + options_text((*part)->options) + "\n";
    const Json device = j.verifier ? j.verifier->facts.value_or(Json()) : Json();
    if (const std::string product = text_or(device, "product", ""), api = text_or(device, "driver_api", "");
        !product.empty())
        text += "  device: " + product + (api.empty() ? "" : ", driver API " + api) + "\n";
    if (const Json judge = found.value("judge", Json()); judge.is_object())
        text += "  judge" + options_text(judge.value("options", Json::object())) + "\n";
    for (const char* fact : {"compiler", "flags"})
        if (const std::string value = text_or(j.facts, fact, ""); !value.empty())
            text += "  " + std::string(fact) + ": " + value + "\n";
    if (const Json host = found.value("host", Json()); host.is_object()) text += "  host" + options_text(host) + "\n";
    if (const std::string version = text_or(found, "version", ""); !version.empty()) text += "  hone " + version + "\n";
    return text;
}

std::string nearest_title(const Json& nearest) {
    char speedup[32] = "";
    if (nearest["speedup"].is_number())
        std::snprintf(speedup, sizeof speedup, " (%.2fx)", nearest["speedup"].get<double>());
    return "--- against the nearest " + nearest["kind"].get<std::string>() + " " +
           nearest["hash"].get<std::string>().substr(0, 12) + speedup;
}

void print_conversation(const Json& found) {
    if (const Json prompt = found.value("prompt", Json()); prompt.is_object())
        for (const Json& message : prompt.value("messages", Json::array()))
            section("--- prompt (" + text_or(message, "role", "") + ")", text_or(message, "text", ""));
    const Json answer = found.value("answer", Json());
    const std::string model = text_or(answer, "model", "");
    section("--- answer (" + text_or(answer, "finish", "?") + (model.empty() ? "" : ", by " + model) + ")",
            text_or(answer, "text", ""));
}

void print_evidence(const Json& found) {
    const Judgement j = judgement_from_json(found["judgement"]);
    print_head(found, j);
    print_conversation(found);
    if (found["candidate"].is_object()) {
        const std::string code = found["candidate"]["code"];
        if (text_or(found.value("answer", Json()), "text", "").find(code) == std::string::npos)
            section("--- program", code);
        section("--- launch plan", found["candidate"]["plan"]);
        if (const Json nearest = found.value("nearest", Json()); !nearest.is_null())
            section(nearest_title(nearest), diff_text(diff_lines(nearest["code"], code)));
    }
    section("--- compared with", text_or(found["against"], "code", ""));
    section("--- settings", settings_text(found, j));
    section("--- compiler", j.log);
    if (j.samples && !j.samples->candidate.empty())
        section("--- samples (" + std::to_string(j.samples->candidate.size()) + " pairs)",
                histogram(*j.samples, j.unit));
}

int run_show(const Arguments& arguments) {
    const Json found = find_evidence(arguments.at(0), arguments.value("--run"));
    if (arguments.has("--json")) std::fputs(document_text(found).c_str(), stdout);
    else print_evidence(printable_document(found));
    return 0;
}

}  // namespace

Command show_command() {
    return {
        "show",
        "ID",
        "everything behind one score: prompt, answer, diff, verdict, samples",
        "ID is a judgement's id, of `hone judge` or of a run, a candidate's hash, of a run (the first digits are "
        "enough), or a file of evidence.",
        {{"--run", "RUN", "look in this run only (preset: what `hone judge` kept, then all below runs/, newest first)"},
         {"--json", "", "one JSON document (hone.evidence/1)"}},
        run_show};
}

}  // namespace hone
