#include "store/runs.hpp"
#include <algorithm>
#include "base/error.hpp"
#include "base/options.hpp"
#include "store/journal_state.hpp"

namespace hone {
namespace {

constexpr std::size_t most_named = 10;

// "c, b, a and 3 more", the newest first
std::string newest(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), most_named); ++i)
        text += (i ? ", " : "") + names[names.size() - 1 - i];
    return names.size() <= most_named ? text : text + " and " + std::to_string(names.size() - most_named) + " more";
}

// By the newest event of how a run began or ended, but for so many.
std::string state_without(const Journal& journal, int newest_events) {
    const auto rows =
        journal.rows("SELECT kind, doc FROM event WHERE kind IN ('resume', 'end') ORDER BY id DESC LIMIT 1 OFFSET ?",
                     {newest_events});
    if (rows.empty() || rows[0]["kind"] != "end") return "interrupted";  // killed: it could not say how it ended
    return parse_record(rows[0]["doc"].get_ref<const std::string&>(), journal).at("state");
}

// A run that stopped before it did anything gives its name away, as Journal::create does.
bool is_free(const fs::path& folder) {
    if (!fs::exists(journal_file(folder))) return true;
    if (being_written(folder)) return false;
    try {
        return committed(Journal::read(folder.string())) == 0;
    } catch (const Error&) {  // no journal of this hone
        return false;
    }
}

}  // namespace

std::vector<std::string> list_runs() {
    std::vector<std::pair<fs::file_time_type, std::string>> found;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator("runs", code))
        if (fs::exists(journal_file(entry.path())))
            found.emplace_back(fs::last_write_time(journal_file(entry.path()), code), entry.path().filename().string());
    std::sort(found.begin(), found.end());
    std::vector<std::string> names;
    for (auto& [when, name] : found) names.push_back(std::move(name));
    return names;
}

fs::path find_run(const std::string& folder_or_name) {
    if (fs::exists(journal_file(folder_or_name))) return folder_or_name;
    const fs::path named = fs::path("runs") / folder_or_name;
    if (fs::exists(journal_file(named))) return named;
    const std::vector<std::string> names = list_runs();
    throw Error(Blame::input, folder_or_name,
                "no run of this name, and no folder that holds one" + suggestion(folder_or_name, names),
                names.empty() ? "runs/ holds none: start one with hone run SCRIPT" : "runs here: " + newest(names));
}

std::string folder_name(const Journal& journal) {
    const fs::path folder = fs::absolute(journal.folder()).lexically_normal();
    return (folder.has_filename() ? folder : folder.parent_path()).filename().string();
}

std::string next_free_name(const std::string& name) {
    std::string free = name;
    for (int n = 2; !is_free(fs::path("runs") / free); ++n) free = name + "-" + std::to_string(n);
    return free;
}

std::string last_step(const Journal& journal) {
    const auto rows = journal.rows("SELECT doc FROM event WHERE kind = 'step' ORDER BY op DESC LIMIT 1");
    if (rows.empty()) return "";
    const Json step = parse_record(rows[0]["doc"].get_ref<const std::string&>(), journal);
    std::string text = step.value("stage", std::string());
    for (const char* count : {"round", "step", "epoch", "update"})
        if (step.contains(count)) text += std::string(" ") + count + " " + step[count].dump();
    return text + (step.contains("of") ? "/" + step["of"].dump() : "");
}

std::string run_state(const Journal& journal) {
    if (being_written(journal.folder())) return "running";
    return state_without(journal, 0);
}

std::string state_before_resume(const Journal& journal) { return state_without(journal, 1); }

bool was_killed(const Journal& journal) {
    const auto before =
        journal.rows("SELECT kind FROM event WHERE kind IN ('resume', 'end') ORDER BY id DESC LIMIT 1 OFFSET 1");
    return before.empty() || before[0]["kind"] != "end";
}

std::int64_t committed(const Journal& journal) {
    return journal
        .rows(
            "SELECT (SELECT count(*) FROM operation WHERE result IS NOT NULL) + (SELECT count(*) FROM answer) + "
            "(SELECT count(*) FROM judgement) AS n")
        .at(0)["n"];
}

}  // namespace hone
