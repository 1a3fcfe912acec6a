#include "store/report/table.hpp"
#include <algorithm>
#include <cstdio>
#include <utility>
#include "base/printable.hpp"
#include "base/quantity.hpp"

namespace hone {
namespace {

constexpr std::size_t widest_name = 40, widest_own = 24;  // of a text in a script's own column

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

std::string cell(const Json& row, const TableColumn& column) {
    const auto found = row.find(column.key);
    if (found != row.end() && column.form == TableColumn::Form::own) return own_cell(*found);
    if (found == row.end() || !found->is_number()) return "-";
    const double value = found->get<double>();
    switch (column.form) {
        case TableColumn::Form::count:
            return printed("%.0f", value);
        case TableColumn::Form::mean:
            return printed("%.1f", value);
        case TableColumn::Form::share:
            return printed("%.1f %%", 100 * value);
        case TableColumn::Form::ratio:
            return printed(value < 10 ? "%.2fx" : "%.1fx", value);
        case TableColumn::Form::time:
            return duration_text(value);
        case TableColumn::Form::money:
            return printed(value < 0.1 && value > 0 ? "$%.4f" : "$%.2f", value);
        case TableColumn::Form::own:
            break;
    }
    return "-";
}

std::string left(const std::string& text, std::size_t width) {
    return text.substr(0, width) + std::string(width > text.size() ? width - text.size() : 0, ' ');
}
std::string right(const std::string& text, std::size_t width) {
    return "  " + std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

}  // namespace

Table::Table(const Json& rows, std::string key, std::string title, const std::vector<TableColumn>& columns,
             std::size_t width_of_page)
    : rows_(rows), key_(std::move(key)), title_(std::move(title)), first_(title_.size()) {
    for (const Json& row : rows_) first_ = std::max(first_, row[key_].get_ref<const std::string&>().size());
    first_ = std::min(first_, widest_name);
    for (const TableColumn& column : columns) add(column);
    while (width() > width_of_page && shown_.size() > 1) {
        const auto least = std::max_element(shown_.begin(), shown_.end(),
                                            [](const TableColumn& a, const TableColumn& b) { return a.rank < b.rank; });
        if (least->form == TableColumn::Form::own) left_out_.push_back(least->title);
        widths_.erase(widths_.begin() + (least - shown_.begin()));
        shown_.erase(least);
    }
}

void Table::add(const TableColumn& column) {
    std::size_t width = column.title.size();
    bool filled = false, fits = true;
    for (const Json& row : rows_) {
        const std::string text = cell(row, column);
        width = std::max(width, text.size());
        filled = filled || text != "-";
        fits = fits && !text.empty();
    }
    if (!fits) left_out_.push_back(column.title);
    else if (filled) shown_.push_back(column), widths_.push_back(width);
}

std::size_t Table::width() const {
    std::size_t sum = first_;
    for (const std::size_t w : widths_) sum += w + 2;
    return sum;
}

std::string Table::text() const {
    std::string text = left(title_, first_);
    for (std::size_t c = 0; c < shown_.size(); ++c) text += right(shown_[c].title, widths_[c]);
    text += "\n";
    for (const Json& row : rows_) {
        text += left(row[key_], first_);
        for (std::size_t c = 0; c < shown_.size(); ++c) text += right(cell(row, shown_[c]), widths_[c]);
        text += "\n";
    }
    return text;
}

bool Table::shows(const std::string& key) const {
    return std::any_of(shown_.begin(), shown_.end(), [&](const TableColumn& column) { return column.key == key; });
}

}  // namespace hone
