#include "base/available_memory.hpp"
#include <fstream>
#include <limits>
#include <string>

namespace hone {

double available_memory() {
    std::ifstream file("/proc/meminfo");
    std::string word;
    for (double kilobytes = 0; file >> word;)
        if (word == "MemAvailable:" && file >> kilobytes) return 1024 * kilobytes;
    return std::numeric_limits<double>::infinity();
}

}  // namespace hone
