// store/report/table.hpp: rows as a table for people, a line each: what stage_table.hpp and teacher_table.hpp share.
#pragma once
#include <string>
#include <vector>
#include "base/json.hpp"

namespace hone {

struct TableColumn {
    enum class Form { count, mean, share, ratio, time, money, own };
    std::string key, title;
    Form form;
    int rank;  // the highest rank is left out first
};

// The columns that at least one row fills and that fit beside each other. The first column names the rows.
class Table {
public:
    // rows: objects; `key` of each is its name, `title` stands above the names.
    Table(const Json& rows, std::string key, std::string title, const std::vector<TableColumn>&, std::size_t width);
    std::string text() const;  // a line of titles, a line a row
    bool shows(const std::string& key) const;
    const std::vector<std::string>& left_out() const { return left_out_; }  // titles of a script's own columns

private:
    void add(const TableColumn&);
    std::size_t width() const;

    const Json& rows_;
    std::string key_, title_;
    std::vector<TableColumn> shown_;
    std::vector<std::size_t> widths_;
    std::vector<std::string> left_out_;
    std::size_t first_;  // width of the names
};

}  // namespace hone
