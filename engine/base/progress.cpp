#include "base/progress.hpp"
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include "base/printable.hpp"
#include "base/process.hpp"

namespace hone {

namespace {

std::mutex painting;  // parts may log from any thread
bool quiet = false;
bool line_open = false;  // a repainted line is on the terminal
double painted = 0;      // when any work last showed itself: short works in a row shall not show a line each

constexpr double between_paints = 0.1, between_lines = 10, before_estimate = 10;  // seconds

bool repaints() {
    static const bool yes = [] {
        const char* terminal = std::getenv("TERM");
        const bool dumb = !terminal || std::strcmp(terminal, "dumb") == 0;
        return isatty(STDERR_FILENO) && !dumb && !std::getenv("CI") && !std::getenv("NO_COLOR");
    }();
    return yes;
}

std::string line(const std::string& title, long done, long total, double seconds, const std::string& note,
                 Progress::Left left) {
    std::string text = title + " " + std::to_string(done);
    if (total > 0) text += "/" + std::to_string(total);
    char elapsed[64];
    std::snprintf(elapsed, sizeof elapsed, "  %.0f s", seconds);
    if (left == Progress::Left::told && total > done && done > 0 && seconds > before_estimate)
        std::snprintf(elapsed, sizeof elapsed, "  %.0f s, about %.0f s left", seconds,
                      seconds * static_cast<double>(total - done) / static_cast<double>(done));
    return text + elapsed + (note.empty() ? "" : "  " + note);
}

void repaint(const std::string& text) {
    const std::lock_guard lock(painting);
    std::fprintf(stderr, "\r\033[K%s", printable(text).c_str());
    line_open = true;
}

void print(const std::string& text) {
    const std::lock_guard lock(painting);
    std::fprintf(stderr, line_open ? "\r\033[K%s\n" : "%s\n", printable(text).c_str());
    line_open = false;
}

}  // namespace

Progress::Progress(std::string title, long total)
    : title_(std::move(title)), total_(total), begun_(monotonic_seconds()) {
    if (painted == 0) painted = begun_;  // no line for the first ten seconds of a program
}

Progress::~Progress() {
    const std::lock_guard lock(painting);
    if (line_open) std::fputs("\r\033[K", stderr);
    line_open = false;
}

void Progress::update(long done, const std::string& note, Left left) {
    done_ = done;
    if (quiet) return;
    const double now = monotonic_seconds();
    if (now - painted < (repaints() ? between_paints : between_lines)) return;
    painted = now;
    shown_ = true;
    const std::string text = line(title_, done, total_, now - begun_, note, left);
    if (repaints()) repaint(text);
    else print(text);
}

void Progress::finish() {
    if (!quiet && shown_) print(line(title_, done_, total_, monotonic_seconds() - begun_, "", Left::unknown));
}

void Progress::set_quiet(bool value) { quiet = value; }

void Progress::say(const std::string& text) {
    if (!quiet) print(text);
}

void Progress::warn(const std::string& text) { print(text); }

}  // namespace hone
