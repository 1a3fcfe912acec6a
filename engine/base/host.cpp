#include "base/host.hpp"
#include <sys/utsname.h>
#include <unistd.h>
#include <fstream>

namespace hone {

std::string cpu_model() {
    std::ifstream lines("/proc/cpuinfo");
    for (std::string line; std::getline(lines, line);) {
        const std::size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
    }
    return {};
}

Json describe_host() {
    utsname names{};
    uname(&names);
    return {{"system", names.sysname},
            {"release", names.release},
            {"machine", names.machine},
            {"node", names.nodename},
            {"cores", sysconf(_SC_NPROCESSORS_ONLN)},
            {"cpu", cpu_model()},
            {"built_with", __VERSION__}};
}

}  // namespace hone
