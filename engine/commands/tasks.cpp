// `hone tasks [SUITE | TASK]`: which suites there are, what is in one, and the page of one task.
#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <sstream>
#include "base/error.hpp"
#include "base/options.hpp"
#include "base/printable.hpp"
#include "base/terminal.hpp"
#include "commands/command.hpp"
#include "commands/import/record.hpp"
#include "commands/task_files.hpp"
#include "judge/call/bench_parts.hpp"
#include "lua/suites.hpp"
#include "lua/task_file.hpp"
#include "parts/verifiers.hpp"

namespace hone {
namespace {

constexpr std::size_t narrow = 80, wide = 200;

std::string text_of(const Json& row, const char* key) { return row.at(key).get<std::string>(); }

// Whose programs the tasks get: the part says what their prototype is.
class Verifiers {
public:
    explicit Verifiers(std::string id) : id_(std::move(id)) {}
    Json brief(const Task& task) {
        const std::string id = id_.empty() ? verifier_of_task(task) : id_;
        auto found = std::find_if(open_.begin(), open_.end(), [&](const auto& one) { return one.first == id; });
        if (found == open_.end())
            found = open_.emplace(open_.end(), id, std::make_unique<Verifier>(make_recipe("verifier", id, {}, "")));
        Json brief = found->second->brief(task);
        brief["verifier"] = id;
        return brief;
    }

private:
    // The one that the task names, else the one of its suite, else the one that takes what nobody else does.
    static std::string verifier_of_task(const Task& task) {
        if (task.verifier) return *task.verifier;
        for (const VerifierKind& kind : verifier_kinds())
            if (!task.suite.empty() && kind.suite == task.suite) return kind.id;
        const VerifierKind* other = verifier_of_file("");
        if (!other)
            throw Error(Blame::usage, "tasks", "no verifier here takes programs of any kind",
                        "name one: --verifier ID");
        return other->id;
    }

    std::string id_;
    std::vector<std::pair<std::string, std::unique_ptr<Verifier>>> open_;
};

// The task's document; the file's text gives way to what the verifier says.
Json row_of(const Task& task, Verifiers& verifiers) {
    const Json brief = verifiers.brief(task);
    Json row = to_json(task);
    for (const char* key : {"source", "index", "definition", "device", "baselines"}) row.erase(key);
    row.update({{"reference", task.definition},
                {"verifier", brief.at("verifier")},
                {"prototype", brief.value("prototype", "")},
                {"fences", brief.value("fences", "")},
                {"brief", brief.value("text", "")}});
    return row;
}

Json rows_of(const std::vector<Task>& tasks, const Arguments& arguments) {
    Verifiers verifiers(arguments.value("--verifier"));
    Json rows = Json::array();
    for (const Task& task : tasks) rows.push_back(row_of(task, verifiers));
    return rows;
}

// {R: 256, C: 512} as "R = 256, C = 512", in the order of the sizes
std::string shape_text(const Json& sizes, const Json& shape) {
    std::string text;
    for (const Json& size : sizes)
        if (shape.contains(size.get<std::string>()))
            text +=
                (text.empty() ? "" : ", ") + size.get<std::string>() + " = " + shape.at(size.get<std::string>()).dump();
    return text;
}

std::string base_name(const std::string& instance) { return instance.substr(0, instance.find(':')); }

bool is_first_shape(const Task& task) { return task.name().find(':') == std::string::npos; }

auto count_tasks(const std::vector<Task>& tasks) { return std::count_if(tasks.begin(), tasks.end(), is_first_shape); }

// One line a task; its shapes and their roles are on its page. suite: as it was named, which may be a path.
void print_list(const std::vector<Task>& tasks, const std::string& suite) {
    const std::size_t width = terminal_width(STDOUT_FILENO, narrow, wide);
    for (const Task& task : tasks) {
        if (!is_first_shape(task)) continue;
        std::string line = task.name();
        line += std::string(line.size() < 20 ? 20 - line.size() : 1, ' ') + task.statement;
        if (line.size() > width) line = line.substr(0, width - 3) + "...";
        std::printf("%s\n", line.c_str());
    }
    std::printf("\n%td tasks at %zu shapes; `hone tasks %s/NAME` tells all about one\n", count_tasks(tasks),
                tasks.size(), suite.c_str());
}

// Modules of an import that are no tasks, and so are missed in the list.
void print_refused(const std::string& suite) {
    const fs::path folder = find_suite(script_folders(), suite);
    if (const std::size_t refused = ImportRecord(folder).refused())
        std::printf("%zu %s refused by the import, and %s no task here: the reasons are in %s\n", refused,
                    refused == 1 ? "module was" : "modules were", refused == 1 ? "has" : "have",
                    (folder / ImportRecord::file_name).string().c_str());
}

std::string marks_of(const Json& tensor) {
    std::string marks;
    for (const char* mark : {"constant", "strict", "scalar"})
        if (tensor.value(mark, false)) marks += std::string(", ") + mark;
    if (tensor.contains("starts_as")) marks += "  starts as " + text_of(tensor, "starts_as");
    return marks;
}

void print_tensors(const char* title, const Json& tensors) {
    std::printf("%s\n", title);
    for (const Json& tensor : tensors) {
        std::string extents;
        for (const Json& n : tensor.at("shape"))
            extents += (extents.empty() ? "" : ", ") + (n.is_string() ? n.get<std::string>() : n.dump());
        const std::string law = tensor.value("law", "");
        std::printf("  %-8s %-5s [%s]%s%s%s\n", text_of(tensor, "name").c_str(), text_of(tensor, "dtype").c_str(),
                    extents.c_str(), law.empty() ? "" : "  ", law.c_str(), marks_of(tensor).c_str());
    }
}

// Lines of a file, moved to the left until the first is indented by two.
std::string indented(const std::string& lines) {
    const std::size_t margin = std::min(lines.find_first_not_of(' '), lines.size());
    std::istringstream in(lines);
    std::string all;
    for (std::string line; std::getline(in, line);)
        all += "  " + line.substr(std::min({margin, line.find_first_not_of(' '), line.size()})) + "\n";
    return all;
}

// The verifier's own words, of which the prototype's line is long and stays one.
std::string brief_text(const std::string& brief, std::size_t width) {
    std::istringstream in(brief);
    std::string all;
    for (std::string line; std::getline(in, line);)
        if (!line.empty()) all += line.starts_with(' ') ? line + "\n" : wrapped(line, width, "  ");
    return all;
}

void print_page(const Json& rows) {
    const Json& first = rows.front();
    const std::size_t width = terminal_width(STDOUT_FILENO, narrow, 100);
    const std::string suite = text_of(first, "suite");
    std::printf("%s%s\n%s\n", suite.empty() ? "" : (suite + "/").c_str(), text_of(first, "name").c_str(),
                wrapped(text_of(first, "statement"), width, "  ").c_str());
    std::printf("prototype (verifier.%s)\n  %s\n", text_of(first, "verifier").c_str(),
                text_of(first, "prototype").c_str());
    std::printf("what a writer is told of it\n%s", brief_text(text_of(first, "brief"), width).c_str());
    print_tensors("inputs", first.at("inputs"));
    print_tensors("outputs", first.at("outputs"));
    std::printf("shapes\n");
    for (const Json& row : rows)
        std::printf("  %-26s %-9s %s\n", text_of(row, "name").c_str(), text_of(row, "role").c_str(),
                    shape_text(row.at("sizes"), row.at("shape")).c_str());
    if (!first.at("hidden").empty()) std::printf("hidden shapes (verified, not timed)\n");
    for (const Json& shape : first.at("hidden")) std::printf("  %s\n", shape_text(first.at("sizes"), shape).c_str());
    for (const auto& [size, of] : first.at("multiples").items())
        std::printf("every %s is a multiple of %s\n", size.c_str(), of.dump().c_str());
    const Json ranges = first.value("ranges", Json::object());
    for (const auto& [size, range] : ranges.items())
        std::printf("%s is from %s to %s\n", size.c_str(), range[0].dump().c_str(), range[1].dump().c_str());
    if (!first.at("sizes").empty()) std::printf("some more hidden shapes are drawn for each judging\n");
    const Json& tolerance = first.at("tolerance");
    std::printf("tolerance %s\n", (tolerance.size() == 1 ? text_of(tolerance, "class") : tolerance.dump()).c_str());
    std::printf("reference\n%s", indented(text_of(first, "reference")).c_str());
}

int list_suites(bool json) {
    Json document = {{"schema", "hone.suites/1"}, {"suites", Json::array()}};
    std::vector<Error> broken;
    for (const std::string& name : suite_names()) {
        const SuiteFiles files = load_suite_files(name);
        broken.insert(broken.end(), files.broken.begin(), files.broken.end());
        document["suites"].push_back(
            {{"name", name}, {"tasks", count_tasks(files.tasks)}, {"shapes", files.tasks.size()}});
    }
    add_broken(document, broken);
    if (json) std::fputs(document_text(document).c_str(), stdout);
    else
        for (const Json& suite : document["suites"])
            std::printf("%-20s %d tasks at %d shapes\n", suite["name"].get<std::string>().c_str(),
                        suite["tasks"].get<int>(), suite["shapes"].get<int>());
    return tell_broken(broken);
}

std::vector<Task> instances(std::vector<Task> tasks, const std::string& name) {
    std::erase_if(tasks, [&](const Task& task) { return base_name(task.name()) != base_name(name); });
    return tasks;
}

// The instances of a task that is named without its suite; a name that several suites know is cpu-basics', as it is to
// `hone judge`.
std::vector<Task> find_anywhere(const std::string& name) {
    std::vector<std::string> suites = suite_names(), known = suites;
    std::stable_partition(suites.begin(), suites.end(), [](const std::string& suite) {
        const VerifierKind* usual = verifier_of_file("");
        return usual && suite == usual->suite;
    });
    std::vector<Error> broken;
    for (const std::string& suite : suites) {
        const SuiteFiles files = load_suite_files(suite);
        std::vector<Task> found = instances(files.tasks, name);
        if (!found.empty()) return found;  // another task's broken file is no matter here
        for (const Task& task : files.tasks) known.push_back(base_name(task.name()));
        broken.insert(broken.end(), files.broken.begin(), files.broken.end());
    }
    tell_broken(broken);
    throw Error(Blame::input, "\"" + name + "\"", "no suite and no task of that name" + suggestion(name, known),
                task_cure(name));
}

std::vector<Task> find_task(const std::string& address) {
    const bool bare = task_file_of(address).empty() && address.find('/') == std::string::npos;
    return bare ? find_anywhere(address) : load_instances(address);
}

int run_tasks(const Arguments& arguments) {
    if (!arguments.count()) return list_suites(arguments.has("--json"));
    const bool suite = is_suite(arguments.at(0));
    const auto [tasks, broken] = suite ? load_suite_files(arguments.at(0)) : SuiteFiles{find_task(arguments.at(0)), {}};
    if (arguments.has("--json")) {
        Json doc = {{"schema", "hone.tasks/1"}, {"tasks", rows_of(tasks, arguments)}};
        add_broken(doc, broken);
        std::fputs(document_text(doc).c_str(), stdout);
    } else if (suite) {
        print_list(tasks, arguments.at(0));
        print_refused(arguments.at(0));
    } else {
        print_page(rows_of(tasks, arguments));
    }
    return tell_broken(broken);
}

}  // namespace

Command tasks_command() {
    return {"tasks",
            "[NAME]",
            "the suites, the tasks of one, or all about one task",
            "NAME is a suite, a task (SUITE/softmax, softmax) or the path of a task file "
            "(FILE.lua:NAME where it holds several).",
            {{"--verifier", "ID", "whose prototype is shown (the one of the task's suite)"},
             {"--json", "", "one JSON document (hone.tasks/1) on stdout"}},
            run_tasks};
}

}  // namespace hone
