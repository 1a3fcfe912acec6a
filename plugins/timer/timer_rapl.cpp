// timer.rapl: joules that the processor's package takes while a run lasts, by the kernel's powercap files. The counter
// is the whole package's: what else runs there, and idling, is in it, so the judge's lease and a long window matter.
#include <time.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>
#include "hone/plugin.hpp"

namespace {

namespace fs = std::filesystem;

double now() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double number_in(const fs::path& path) {  // NaN: none can be read
    double value = 0;
    return std::ifstream(path) >> value ? value : NAN;
}

struct Package {
    fs::path energy;  // microjoules, from 0 to range and round again
    double range;
};

std::string name_of(const fs::path& zone) {  // "package-0", "core", "psys"; "": it tells none
    std::string name;
    std::ifstream(zone / "name") >> name;
    return name;
}

// One zone a package: a package may have a second one (intel-rapl-mmio:0 beside intel-rapl:0) that counts the same
// joules, and "psys", the whole platform, has those of all packages in it.
std::vector<fs::path> package_zones(const std::string& folder) {
    std::error_code absent;
    std::map<std::string, fs::path> zones;
    for (const auto& entry : fs::directory_iterator(folder, absent)) {
        const std::string name = name_of(entry.path());
        if (!name.starts_with("package-")) continue;
        fs::path& zone = zones[name];
        zone = std::max(zone, entry.path());  // "intel-rapl:0" comes after "intel-rapl-mmio:0"
    }
    std::vector<fs::path> all;
    for (const auto& [name, zone] : zones) all.push_back(zone);
    return all;
}

class Rapl : public hone::TimerPart {
public:
    Rapl(hone::Host host, hone::Doc given)
        : host_(host), folder_(given.text("folder")), window_(given.num("window", 0)) {}

    void attach(const hone_device&) override {
        std::string unreadable;
        for (const fs::path& zone : package_zones(folder_)) {
            const Package package{zone / "energy_uj", number_in(zone / "max_energy_range_uj")};
            if (std::isnan(number_in(package.energy))) unreadable = package.energy;
            else packages_.push_back(package);
        }
        if (!unreadable.empty())
            throw hone::Refused("timer.rapl cannot read " + unreadable + ": let this user read it (chmod a+r)");
        if (packages_.empty())
            throw hone::Refused("timer.rapl: this machine tells no energy: nothing like intel-rapl:0 is in " + folder_);
        step_ = find_step();
    }

    hone_sample time(const hone_run& run) override {
        double inside = NAN;
        const std::vector<double> before = read();
        for (uint32_t call = 0; call < run.calls; ++call) host_.check(run.launch(run.ctx, call), "the launch failed");
        host_.check(run.wait(run.ctx, &inside), "the call failed");
        return {joules(before, read()), 0, 0, 0};
    }

    void facts(hone::Out out) override {
        if (step_ > 0) out.num("resolution", step_);  // once it is attached
        out.num("least_window", window_);
        out.num("packages", static_cast<double>(packages_.size()));
    }

    static constexpr hone_option options[] = {
        {"window", "num", "0.05", "0.001..60", "least seconds of a run: the counter moves once a millisecond"},
        {"folder", "path", "/sys/class/powercap", nullptr, "where the kernel's counters are"},
        {}};

private:
    std::vector<double> read() const {
        std::vector<double> all;
        for (const Package& package : packages_) all.push_back(number_in(package.energy));
        return all;
    }

    double joules(const std::vector<double>& before, const std::vector<double>& after) const {
        double sum = 0;
        for (size_t i = 0; i < packages_.size(); ++i)
            sum += after[i] - before[i] + (after[i] < before[i] ? packages_[i].range : 0);
        return 1e-6 * sum;
    }

    // The middle of a few steps of the counter, while this thread keeps a core busy.
    double find_step() const {
        std::vector<double> steps;
        std::vector<double> last = read();
        for (const double until = now() + step_seconds; now() < until && steps.size() < most_steps;) {
            std::vector<double> next = read();
            if (next == last) continue;
            steps.push_back(joules(last, next));
            last = std::move(next);
        }
        if (steps.empty()) return 0;
        std::nth_element(steps.begin(), steps.begin() + static_cast<long>(steps.size() / 2), steps.end());
        return steps[steps.size() / 2];
    }

    static constexpr double step_seconds = 0.1;
    static constexpr size_t most_steps = 15;
    hone::Host host_;
    std::string folder_;
    double window_, step_ = 0;
    std::vector<Package> packages_;
};

}  // namespace

HONE_TIMER(Rapl, "rapl", "0.1", "joules of the processor's package while a run lasts, by the kernel's powercap files",
           "cpu", "J")
