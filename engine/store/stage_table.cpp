#include "store/stage_table.hpp"
#include <algorithm>
#include <cstdio>
#include <set>
#include "base/printable.hpp"
#include "base/quantity.hpp"
#include "base/terminal.hpp"
#include "store/stage_row.hpp"

namespace hone {
namespace {

enum class Form { count, mean, share, ratio, time, own };

struct Column {
    std::string key, title;
    Form form;
    int rank;  // the highest rank is left out first
};

constexpr int rank_of_own = 2;
constexpr std::size_t widest_own = 24;  // of a text in a script's own column

const std::vector<Column> columns = {
    {"samples", "samples", Form::count, 3},     {"lost", "lost", Form::count, 0},
    {"success", "success", Form::share, 0},     {"typical", "typical", Form::ratio, 0},
    {"fallback", "fallback", Form::ratio, 1},   {"best_of_n", "best of n", Form::ratio, 0},
    {"shrinkage", "shrinkage", Form::share, 3}, {"mean", "mean", Form::ratio, 8},
    {"median", "median", Form::ratio, 5},       {"max", "max", Form::ratio, 4},
    {"above_1_01", ">1.01x", Form::count, 2},   {"distinct", "distinct", Form::mean, 6},
    {"novel", "novel", Form::share, 7},         {"seconds", "time", Form::time, 3},
};

std::string printed(const char* format, double value) {
    char text[48];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

// Of a script's own column: "" of what no cell can hold.
std::string own_cell(const Json& value) {
    if (value.is_number_float()) return printed("%.4g", value.get<double>());
    const std::string text = value.is_string()      ? printable(value.get_ref<const std::string&>())
                             : value.is_primitive() ? value.dump()
                                                    : "";
    return text.size() > widest_own || text.find('\n') != std::string::npos ? "" : text;
}

std::string cell(const Json& row, const Column& column) {
    const auto found = row.find(column.key);
    if (found != row.end() && column.form == Form::own) return own_cell(*found);
    if (found == row.end() || !found->is_number()) return "-";
    const double value = found->get<double>();
    switch (column.form) {
        case Form::count:
            return printed("%.0f", value);
        case Form::mean:
            return printed("%.1f", value);
        case Form::share:
            return printed("%.1f %%", 100 * value);
        case Form::ratio:
            return printed(value < 10 ? "%.2fx" : "%.1fx", value);
        case Form::time:
            return duration_text(value);
        case Form::own:
            break;
    }
    return "-";
}

// hone's columns, then those of the script.
std::vector<Column> columns_of(const Json& stages) {
    std::set<std::string> own;
    for (const Json& row : stages)
        for (const auto& [key, value] : row.items())
            if (is_own_column(key)) own.insert(key);
    std::vector<Column> all = columns;
    for (const std::string& key : own) all.push_back({key, printable(key), Form::own, rank_of_own});
    return all;
}

struct Table {
    std::vector<Column> shown;
    std::vector<std::size_t> widths;
    std::vector<std::string> left_out;  // of the script's own
    std::size_t first = 5;              // width of the column of stage names
    std::size_t width() const {
        std::size_t sum = first;
        for (const std::size_t w : widths) sum += w + 2;
        return sum;
    }
};

void add_column(Table& table, const Json& stages, const Column& column) {
    std::size_t width = column.title.size();
    bool filled = false, fits = true;
    for (const Json& row : stages) {
        const std::string text = cell(row, column);
        width = std::max(width, text.size());
        filled = filled || text != "-";
        fits = fits && !text.empty();
    }
    if (!fits) table.left_out.push_back(column.title);
    else if (filled) table.shown.push_back(column), table.widths.push_back(width);
}

Table lay_out(const Json& stages, std::size_t width_of_page) {
    Table table;
    for (const Json& row : stages)
        table.first = std::max(table.first, row["stage"].get_ref<const std::string&>().size());
    table.first = std::min<std::size_t>(table.first, 40);
    for (const Column& column : columns_of(stages)) add_column(table, stages, column);
    while (table.width() > width_of_page && table.shown.size() > 1) {
        const auto least = std::max_element(table.shown.begin(), table.shown.end(),
                                            [](const Column& a, const Column& b) { return a.rank < b.rank; });
        if (least->form == Form::own) table.left_out.push_back(least->title);
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
        return std::any_of(table.shown.begin(), table.shown.end(), [&](const Column& c) { return c.key == key; });
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
    if (!table.left_out.empty())
        text += "no room for the own columns " + listed(table.left_out) + ", which `hone report --json` has; ";
    std::set<std::string> baselines;
    for (const Json& row : stages)
        if (const auto found = row.find("baseline"); found != row.end() && found->is_string()) baselines.insert(*found);
    text += "baseline:";
    for (const std::string& baseline : baselines) text += (baseline == *baselines.begin() ? " " : ", ") + baseline;
    return wrapped(text + (baselines.empty() ? " not recorded" : ""), width, "");
}

}  // namespace

std::string stage_table(const Json& stages, std::size_t width) {
    const Table table = lay_out(stages, width);
    std::string text = left("stage", table.first);
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
