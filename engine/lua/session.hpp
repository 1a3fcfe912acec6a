// lua/session.hpp: one start of the program: what its command line said, and the runs that its script made.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>
#include "base/json.hpp"

namespace hone::lua {

class Run;

// The values of --set a.b=c. A script asks for them by name, with a default that gives the type.
class Settings {
public:
    Settings() = default;
    explicit Settings(const std::vector<std::string>& words);          // "steps=5"; throws Error(usage)
    Json read(const std::string& name, const Json& preset);            // throws Error(usage) where the text is not of the preset's type
    void check_all_read() const;                                       // throws Error(usage) naming one that nobody asked for
    Json to_json() const { return given_; }

private:
    std::map<std::string, std::string> given_;
    std::map<std::string, bool> asked_;
};

struct Session {
    std::string script_path, script_text, name;
    bool resume = false, trace = false;  // trace: errors show the frames of hone's own scripts too
    Settings settings;
    std::vector<std::shared_ptr<Run>> runs;
};

}  // namespace hone::lua
