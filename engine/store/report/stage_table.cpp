#include "store/report/stage_table.hpp"
#include <algorithm>
#include <set>
#include "base/printable.hpp"
#include "base/terminal.hpp"
#include "hone/units.hpp"
#include "store/report/stage_row.hpp"
#include "store/report/table.hpp"

namespace hone {
namespace {

using Form = TableColumn::Form;

constexpr int rank_of_own = 2;

const std::vector<TableColumn> columns = {
    {"samples", "samples", Form::count, 3},     {"lost", "lost", Form::count, 0},
    {"success", "success", Form::share, 0},     {"typical", "typical", Form::ratio, 0},
    {"fallback", "fallback", Form::ratio, 1},   {"best_of_n", "best of n", Form::ratio, 0},
    {"shrinkage", "shrinkage", Form::share, 3}, {"mean", "mean", Form::ratio, 8},
    {"median", "median", Form::ratio, 5},       {"max", "max", Form::ratio, 4},
    {"above_1_01", ">1.01x", Form::count, 2},   {"distinct", "distinct", Form::mean, 6},
    {"novel", "novel", Form::share, 7},         {"seconds", "time", Form::time, 3},
};

// hone's columns, then those of the script.
std::vector<TableColumn> columns_of(const Json& stages) {
    std::set<std::string> own;
    for (const Json& row : stages)
        for (const auto& [key, value] : row.items())
            if (is_own_column(key)) own.insert(key);
    std::vector<TableColumn> all = columns;
    for (const std::string& key : own) all.push_back({key, printable(key), Form::own, rank_of_own});
    return all;
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

std::set<std::string> texts_of(const Json& stages, const char* key) {
    std::set<std::string> texts;
    for (const Json& row : stages)
        if (const auto found = row.find(key); found != row.end() && found->is_string()) texts.insert(*found);
    return texts;
}

// "sft, rl: a speed-up is the baseline's energy divided by the program's; "
std::string other_units(const Json& stages) {
    std::string text;
    for (const std::string& unit : texts_of(stages, "unit")) {
        std::vector<std::string> names;
        for (const Json& row : stages)
            if (row.value("unit", "") == unit) names.push_back(row["stage"]);
        text += printable(listed(names)) + ": a speed-up is the baseline's " + printable(cost_in_words(unit)) +
                " divided by the program's; ";
    }
    return text;
}

std::string legend(const Table& table, const Json& stages, std::size_t width) {
    const auto shows = [&](const char* key) { return table.shows(key); };
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
    if (!table.left_out().empty())
        text += "no room for the own columns " + listed(table.left_out()) + ", which `hone report --json` has; ";
    text += other_units(stages);
    const std::set<std::string> baselines = texts_of(stages, "baseline");
    text += "baseline:";
    for (const std::string& baseline : baselines) text += (baseline == *baselines.begin() ? " " : ", ") + baseline;
    return wrapped(text + (baselines.empty() ? " not recorded" : ""), width, "");
}

}  // namespace

std::string stage_table(const Json& stages, std::size_t width) {
    const Table table(stages, "stage", "stage", columns_of(stages), width);
    return table.text() + "\n" + notes(stages, width) + legend(table, stages, width);
}

}  // namespace hone
