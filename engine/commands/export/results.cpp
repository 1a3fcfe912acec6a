#include "commands/export/results.hpp"
#include <algorithm>
#include <cmath>
#include <map>
#include "base/error.hpp"
#include "base/paths.hpp"
#include "base/stats.hpp"
#include "commands/export/scores.hpp"

namespace hone {
namespace {

constexpr double a_thousand = 1e3;     // KernelBench writes milliseconds
constexpr double not_measured = -1.0;  // as KernelBench writes it

Json read_object(const fs::path& path) {
    if (!fs::exists(path)) return Json::object();
    Json json = Json::parse(read_file(path), nullptr, false);
    if (!json.is_object())
        throw Error(Blame::input, path.string(), "is no JSON object", "name another folder with --out");
    return json;
}

void write_json(const fs::path& path, const Json& json) {
    fs::create_directories(path.parent_path());
    write_file(path, json.dump(4) + "\n");
}

Json statistics(std::vector<double> seconds) {
    if (seconds.empty()) return {{"mean", not_measured}, {"num_trials", 0}};
    for (double& one : seconds) one *= a_thousand;
    const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
    return {{"mean", mean(seconds)},
            {"std", deviation(seconds)},
            {"min", *least},
            {"max", *most},
            {"num_trials", seconds.size()}};
}

std::vector<double> counted(const std::vector<double>& all, const std::vector<bool>& counts) {
    std::vector<double> some;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (i >= counts.size() || counts[i]) some.push_back(all[i]);
    return some;
}

// The baseline's form, where it has forms; else what it is.
void tell_speedup(const Judgement& j, Json& metadata) {
    if (!j.speedup) return;
    metadata["baseline"] = j.baseline_form.value_or(j.speedup->baseline);
    metadata["speedup"] = {{"estimate", j.speedup->estimate}, {"lower", j.speedup->lower}, {"upper", nullptr}};
    if (j.speedup->upper) metadata["speedup"]["upper"] = *j.speedup->upper;
}

Json metadata_of(const Judgement& j, const std::string& hardware) {
    Json metadata = {{"verdict", verdict_name(j.verdict)}, {"judgement", j.id}, {"hardware", hardware}};
    metadata["sizes"] = j.sizes;
    if (!j.reason.empty()) metadata["reason"] = j.reason;
    if (j.passed() && !j.defences_off.empty()) metadata["no_score"] = j.defences_off;
    if (j.passed() && j.verified) {
        const std::string calls = std::to_string(j.verified->calls);
        metadata["correctness_trials"] = "(" + calls + " / " + calls + ")";
    }
    tell_speedup(j, metadata);
    return metadata;
}

// As KernelBench's eval.py makes one; its ref_runtime too, which its scripts do not write.
Json result_of(const BenchmarkAnswer& answer, std::size_t number, const std::string& hardware) {
    const Judgement& j = answer.judgement;
    const bool timed = j.passed() && j.seconds;
    const auto times = [&](std::vector<double> judged::Samples::*side) {
        Json stats = timed && j.samples ? statistics(counted((*j.samples).*side, j.samples->counted)) : Json::object();
        if (!stats.empty()) stats["hardware"] = hardware;
        return stats;
    };
    return {{"sample_id", number},
            {"compiled", was_compiled(j)},
            {"correctness", j.passed()},
            {"metadata", metadata_of(j, hardware)},
            {"runtime", timed ? a_thousand * j.seconds->candidate : not_measured},
            {"runtime_stats", times(&judged::Samples::candidate)},
            {"ref_runtime", timed ? a_thousand * j.seconds->baseline : not_measured},
            {"ref_runtime_stats", times(&judged::Samples::baseline)}};
}

Json results_of(const std::vector<BenchmarkAnswer>& answers, const std::string& hardware) {
    Json results = Json::object();
    for (const BenchmarkAnswer& answer : answers) {
        Json& list = results[std::to_string(answer.problem)];
        list.push_back(result_of(answer, list.size(), hardware));
    }
    return results;
}

Json passes_of(const std::vector<BenchmarkAnswer>& answers) {
    std::map<int, std::vector<BenchmarkAnswer>> problems;
    for (const BenchmarkAnswer& answer : answers) problems[answer.problem].push_back(answer);
    Json each = Json::object(), averages = Json::object();
    std::size_t right = 0;
    for (const auto& [number, own] : problems) {
        const auto correct = static_cast<std::size_t>(std::count_if(
            own.begin(), own.end(), [](const BenchmarkAnswer& answer) { return answer.judgement.passed(); }));
        right += correct;
        Json& problem = each[std::to_string(number)] = {{"total_samples", own.size()}, {"correct_samples", correct}};
        for (const auto& [k, share] : scores_of(own, "").passes) problem["pass@" + std::to_string(k)] = share;
    }
    for (const auto& [k, share] : scores_of(answers, "").passes) averages["avg_pass@" + std::to_string(k)] = share;
    return {{"averages", averages},
            {"metadata",
             {{"total_problems", problems.size()},
              {"problems_with_samples", problems.size()},
              {"total_evaluated_samples", answers.size()},
              {"total_correct_samples", right}}},
            {"problems", each}};
}

// By form of the reference, then by problem: the readings of all judgements. A problem without a right answer has none:
// its reference was not timed. It stands there all the same, for KernelBench's script leaves out who does not.
std::map<std::string, std::map<std::string, std::vector<double>>> baselines_of(
    const std::vector<BenchmarkAnswer>& answers) {
    std::map<std::string, std::map<std::string, std::vector<double>>> forms;
    for (const auto& [problem, file, judgement] : answers) {
        if (judgement.seconds) forms["best"][file].push_back(judgement.seconds->baseline);
        if (!judgement.seconds || !judgement.baseline_forms) continue;
        for (const auto& [form, seconds] : *judgement.baseline_forms)
            if (std::isfinite(seconds)) forms[form][file].push_back(seconds);
    }
    for (auto& [form, problems] : forms)
        for (const BenchmarkAnswer& answer : answers) problems[answer.file];
    return forms;
}

}  // namespace

void write_results(const fs::path& folder, const std::string& run, const std::string& hardware, int level,
                   const std::vector<BenchmarkAnswer>& answers) {
    const std::string of_level = "level" + std::to_string(level);
    const fs::path results = folder / "runs" / (run + "-" + of_level),
                   timing = folder / "results" / "timing" / hardware;
    write_json(results / "eval_results.json", results_of(answers, hardware));
    write_json(results / "pass_at_k_results.json", passes_of(answers));
    for (const auto& [form, problems] : baselines_of(answers)) {
        std::string name = "hone_" + form + ".json";
        std::replace(name.begin(), name.end(), ' ', '_');
        const fs::path path = timing / name;
        Json file = read_object(path);
        file[of_level] = Json::object();
        for (const auto& [problem, seconds] : problems) {
            file[of_level][problem] = statistics(seconds);
            file[of_level][problem]["hardware"] = hardware;
        }
        write_json(path, file);
    }
}

}  // namespace hone
