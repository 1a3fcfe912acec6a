// run/session.hpp: one start of the program: what its command line said, and the runs that its script made.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>
#include "base/json.hpp"

namespace hone {

class Run;

// The values of --set a.b=c. A script asks for them by name, with a default that gives the type.
class ScriptSettings {
public:
    ScriptSettings() = default;
    explicit ScriptSettings(const std::vector<std::string>& words);  // "steps=5"; throws Error(usage)
    // throws Error(usage) where the text is not of the preset's type
    Json read(const std::string& name, const Json& preset);
    // throws Error(usage) naming one that nobody asked for
    void check_all_read() const;
    Json to_json() const { return given_; }

private:
    std::map<std::string, std::string> given_;
    std::map<std::string, bool> asked_;
};

struct Session {
    std::string script_path, script_text, name;
    bool resume = false, trace = false;  // trace: errors show the frames of hone's own scripts too
    ScriptSettings settings;
    std::vector<std::shared_ptr<Run>> runs;
};

}  // namespace hone
