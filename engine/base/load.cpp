#include "base/load.hpp"
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

namespace hone {
namespace {

double in_seconds(double ticks) { return ticks / static_cast<double>(sysconf(_SC_CLK_TCK)); }

// The columns of a core in /proc/stat.
enum Column { user, nice, system, idle, iowait, irq, softirq, steal, columns };

// The number N of a line "cpuN ..."; -1: the line is another one.
int core_of(const std::string& line) {
    const bool one = line.starts_with("cpu") && line.size() > 3 && line[3] >= '0' && line[3] <= '9';
    return one ? std::stoi(line.substr(3)) : -1;
}

std::vector<double> ticks_of(const std::string& line) {
    std::istringstream words(line.substr(line.find(' ')));
    std::vector<double> ticks;
    for (double n; words >> n;) ticks.push_back(n);
    ticks.resize(columns);
    return ticks;
}

std::set<int> cores_of_this_thread() {
    cpu_set_t set;
    std::set<int> cores;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return cores;
    for (int core = 0; core < CPU_SETSIZE; ++core)
        if (CPU_ISSET(core, &set)) cores.insert(core);
    return cores;
}

const std::set<int> at_start = cores_of_this_thread();

}  // namespace

const std::set<int>& usable_cores() { return at_start; }

std::optional<CoreTimes> core_times(const std::set<int>& cores) {
    std::ifstream stat("/proc/stat");
    return core_times(stat, cores);
}

std::optional<CoreTimes> core_times(std::istream& stat, const std::set<int>& cores) {
    CoreTimes sum;
    double all = 0;  // some sandboxes have the file with zeros alone
    for (std::string line; std::getline(stat, line);) {
        if (!cores.contains(core_of(line))) continue;
        const std::vector<double> ticks = ticks_of(line);
        sum.working += in_seconds(ticks[user] + ticks[nice] + ticks[system] + ticks[irq] + ticks[softirq]);
        sum.stolen += in_seconds(ticks[steal]);
        all += std::accumulate(ticks.begin(), ticks.end(), 0.0);
    }
    return all > 0 ? std::optional(sum) : std::nullopt;
}

double used_seconds(int who) {
    rusage used{};
    getrusage(who, &used);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

namespace {

std::ifstream stat_of(int pid) {
    return pid > 0 ? std::ifstream("/proc/" + std::to_string(pid) + "/stat") : std::ifstream();
}

// From field `first` on, counted from 1; the program's name, field 2, may hold anything.
std::istringstream fields_of(std::istream& stat, int first) {
    std::string line, skipped;
    std::getline(stat, line);
    const std::size_t name_end = line.rfind(')');
    std::istringstream words(name_end == std::string::npos ? "" : line.substr(name_end + 1));
    for (int field = 3; field < first; ++field) words >> skipped;
    return words;
}

}  // namespace

double process_seconds(int pid) {
    std::ifstream stat = stat_of(pid);
    return process_seconds(stat);
}

double process_seconds(std::istream& stat) {
    std::istringstream words = fields_of(stat, 14);
    double ticks = 0, sum = 0;
    for (int field = 14; field <= 17 && words >> ticks; ++field) sum += ticks;
    return in_seconds(sum);
}

int parent_of(int pid) {
    std::ifstream stat = stat_of(pid);
    return parent_of(stat);
}

int parent_of(std::istream& stat) {
    std::istringstream words = fields_of(stat, 4);
    int parent = 0;
    words >> parent;
    return parent;
}

}  // namespace hone
