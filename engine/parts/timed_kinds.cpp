#include "parts/timed_kinds.hpp"
#include <sstream>
#include "base/error.hpp"
#include "base/paths.hpp"
#include "hone/timer.h"
#include "parts/library.hpp"

namespace hone {

std::set<std::string> timed_kinds() {
    std::set<std::string> kinds;
    for (const PartFile& file : list_parts(plugin_folders())) try {
            if (file.interface_name != "timer") continue;
            std::istringstream words(static_cast<const hone_timer*>(Library::open(file).part().functions)->kinds);
            for (std::string kind; words >> kind;) kinds.insert(kind);
        } catch (const Error&) {  // `hone plugins` tells of a part that is refused
        }
    return kinds;
}

}  // namespace hone
