#include "commands/judge/sweep.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include "base/printable.hpp"
#include "base/progress.hpp"
#include "base/quantity.hpp"
#include "commands/judge/shapes.hpp"
#include "commands/judge/speed_text.hpp"
#include "commands/judging.hpp"
#include "lua/task_file.hpp"

namespace hone {
namespace {

using Row = std::vector<std::string>;

std::vector<Task> tasks_of(const JudgeRequest& request, const Arguments& arguments) {
    if (request.times > 1 || request.at_least)
        throw Error(Blame::usage, "--sweep", "goes neither with --repeat nor with --at-least",
                    "take these with --shape, one shape at a time");
    const std::string sizes = arguments.value("--sweep");
    if (!sizes.empty()) return at_all_sizes(request.task, sizes, arguments.value("--shape"));
    if (arguments.has("--shape"))
        throw Error(Blame::usage, "--sweep", "without sizes it takes the shapes of the task's file, not --shape's",
                    "write --sweep C=256,1024, or leave out --shape");
    return load_instances(request.address);
}

template <class... Numbers> std::string number_text(const char* format, Numbers... numbers) {
    char text[64];
    std::snprintf(text, sizeof text, format, numbers...);
    return text;
}

Row head_of(const Task& task) {
    Row row = task.sizes;
    for (const char* title : {"verdict", "ratio", "interval", "outcome", "program", "baseline", "roofline", "evidence"})
        row.emplace_back(title);
    return row;
}

// Ratios are baseline by program: above 1 is better, in each unit.
Row row_of(const Task& task, const Judgement& j) {
    Row row;
    for (const std::string& size : task.sizes) row.push_back(std::to_string(task.shape.at(size)));
    row.push_back(verdict_name(j.verdict));
    const bool measured = j.passed() && j.speedup && j.per_call();
    row.push_back(measured ? ratio_digits(j.speedup->estimate) + "x" : "");
    row.push_back(measured ? ratio_digits(j.speedup->lower) + " to " + ratio_digits(j.speedup->upper.value_or(HUGE_VAL))
                           : "");
    row.push_back(measured ? j.outcome.value_or("") : "");
    row.push_back(measured ? engineering(j.per_call()->candidate, j.unit) : "");
    row.push_back(measured ? engineering(j.per_call()->baseline, j.unit) : "");
    row.push_back(measured && j.roofline_share ? number_text("%.3g %%", 100 * *j.roofline_share) : "");
    row.push_back(j.id);
    return row;
}

void print_table(const std::vector<Row>& rows) {
    std::vector<std::size_t> widths(rows.front().size());
    for (const Row& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    for (const Row& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) line += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
        std::printf("%s\n", line.substr(0, line.find_last_not_of(' ') + 1).c_str());
    }
}

int worst(const std::vector<Judgement>& judgements) {
    int code = 0;
    for (const Judgement& judgement : judgements) {
        const int one = exit_code(judgement);
        if (one == static_cast<int>(Blame::run) || code == 0) code = one;
    }
    return code;
}

void print_for_people(const std::vector<Task>& tasks, const std::vector<Judgement>& judgements) {
    std::vector<Row> rows = {head_of(tasks.front())};
    for (std::size_t i = 0; i < judgements.size(); ++i) rows.push_back(row_of(tasks[i], judgements[i]));
    print_table(rows);
    for (std::size_t i = 0; i < judgements.size(); ++i) {
        const Judgement& j = judgements[i];
        if (!j.reason.empty())
            std::printf("%s: %s: %s\n", shape_text(tasks[i]).c_str(), verdict_name(j.verdict),
                        printable(j.reason).c_str());
        else if (j.passed() && j.speedup && !restless_text(j).empty())
            std::printf("%s: %s\n", shape_text(tasks[i]).c_str(), restless_text(j).c_str());
    }
}

Judgement judge_at(Judge& judge, const JudgeRequest& request, const OnNote& note) {
    try {
        return judge_once(judge, request, read_programs(judge, request, note), note);
    } catch (const OtherFails& fails) {  // other shapes may do
        Judgement none;
        none.reason = fails.what();
        none.task = request.task.name(), none.suite = request.task.suite, none.sizes = request.task.shape;
        return none;
    }
}

}  // namespace

int sweep(const JudgeRequest& request, const Arguments& arguments) {
    const std::vector<Task> tasks = tasks_of(request, arguments);
    std::vector<Judgement> judgements;
    try {
        Progress progress("sweep", tasks.size());
        const OnNote note = [&](const std::string& text) { progress.update(judgements.size(), text); };
        Judge judge(request.plan);
        JudgeRequest one = request;
        for (const Task& task : tasks) {
            one.task = task;
            judgements.push_back(judge_at(judge, one, note));
        }
    } catch (const Error&) {  // Ctrl-C most of all: the rows that are there are shown
        if (!judgements.empty() && !arguments.has("--json")) print_for_people(tasks, judgements);
        throw;
    }
    if (!arguments.has("--json")) {
        print_for_people(tasks, judgements);
    } else {
        Json list = Json::array();
        for (const Judgement& judgement : judgements) list.push_back(to_json(judgement));
        std::fputs(document_text({{"schema", "hone.sweep/1"}, {"task", request.address}, {"judgements", list}}).c_str(),
                   stdout);
    }
    return worst(judgements);
}

}  // namespace hone
