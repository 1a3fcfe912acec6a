#include "commands/import/report.hpp"
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <map>
#include "base/printable.hpp"
#include "commands/import/record.hpp"
#include "lua/suites.hpp"
#include "lua/task_file.hpp"

namespace hone {
namespace {

std::string shell_word(const std::string& text) {
    const bool plain = std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return std::isalnum(c) || std::string_view("_-./,:=+@").find(static_cast<char>(c)) != std::string_view::npos;
    });
    if (plain) return text;
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

void print_row(const Json& row, const fs::path& folder, bool with_notes) {
    std::vector<std::string> lines;
    if (const std::string reason = row.at("reason"); !reason.empty()) lines.push_back(reason);
    if (row.contains("traceback"))
        lines.push_back("traceback: " + (folder / row.at("traceback").get<std::string>()).string());
    if (with_notes)
        for (const Json& note : row.value("notes", Json::array())) lines.push_back("note: " + note.get<std::string>());
    if (lines.empty()) return;
    std::printf("%-9s %s\n", row.at("status").get<std::string>().c_str(), row.at("name").get<std::string>().c_str());
    for (const std::string& line : lines) std::printf("          %s\n", printable(line).c_str());
}

// Commands for the first task that is fit to be judged.
void print_next(const Json& rows, const fs::path& folder) {
    const auto fit =
        std::find_if(rows.begin(), rows.end(), [](const Json& row) { return row.at("status") == "agrees"; });
    if (fit == rows.end()) return;
    const std::string suite = suite_address(folder) + "/";
    const std::vector<Task> instances = load_task_file(folder / (fit->at("name").get<std::string>() + ".lua"));
    const std::string task = shell_word(suite + instances.front().name());
    std::printf("next      hone tasks %s\n          hone judge %s PROGRAM\n", task.c_str(), task.c_str());
    if (instances.size() > 1)
        std::printf("          hone judge %s PROGRAM    (at a small shape)\n",
                    shell_word(suite + instances.back().name()).c_str());
}

}  // namespace

void print_import(const Json& rows, const fs::path& folder) {
    std::map<std::string, int> count;
    for (const Json& row : rows) {
        ++count[row.at("status")];
        print_row(row, folder, rows.size() == 1);  // of a benchmark they are many
    }
    std::string text;
    for (const char* status : {"agrees", "flawed", "unchecked", "differs", "refused"})
        if (count[status]) text += (text.empty() ? "" : ", ") + std::to_string(count[status]) + " " + status;
    std::printf("%zu modules: %s; %s\n", rows.size(), text.c_str(), (folder / ImportRecord::file_name).c_str());
    print_next(rows, folder);
}

}  // namespace hone
