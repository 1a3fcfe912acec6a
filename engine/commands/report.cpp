// `hone report RUN`: the stage table of a run.
#include "store/report/report.hpp"
#include <unistd.h>
#include <cstdio>
#include "base/printable.hpp"
#include "base/terminal.hpp"
#include "commands/command.hpp"

namespace hone {
namespace {

int run_report(const Arguments& arguments) {
    const Json report = report_json(Journal::read(arguments.at(0)));
    const std::size_t width = terminal_width(STDOUT_FILENO, report_width, report_width);
    std::fputs((arguments.has("--json") ? document_text(report) : printable(report_text(report, width))).c_str(),
               stdout);
    return 0;
}

}  // namespace

Command report_command() {
    return {"report",
            "RUN",
            "the stage table of a run",
            "RUN is a name below runs/ or a run's folder.",
            {{"--json", "", "one JSON document (hone.report/1), with every column"}},
            run_report};
}

}  // namespace hone
