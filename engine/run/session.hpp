// run/session.hpp: one start of the program: what its command line said, and the runs that its script made.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>
#include "base/json.hpp"

namespace hone {

class Run;

// The values of --set a.b=c. A script asks for them by name, with a default that gives the type.
class ScriptSettings {
public:
    ScriptSettings() = default;
    explicit ScriptSettings(const std::vector<std::string>& words);  // "steps=5"; throws Error(usage)
    // Throws Error(usage) where the text is not of the preset's type, Error(input) after close().
    Json read(const std::string& name, const Json& preset);
    // throws Error(usage) naming one that nobody asked for
    void check_all_read() const;
    // The script's first blocking call, such as "rollout": checks that all were read; none may be read from now on.
    void close(const std::string& call);
    Json to_json() const { return given_; }
    std::vector<std::string> words() const;  // "steps=5", in order of the names

private:
    std::map<std::string, std::string> given_;
    std::map<std::string, bool> asked_;
    std::string closed_by_;
};

struct Session {
    std::string command = "run";  // or "repl"
    std::string script_path, script_text, name;
    bool resume = false, trace = false;  // trace: errors show the frames of hone's own scripts too
    bool fresh = false;                  // --new: a run takes the next free name
    ScriptSettings settings;
    std::vector<std::shared_ptr<Run>> runs;
    std::map<std::string, std::string> modules;  // files that the script took in, "hone/own.lua", by SHA-256
    void take_in(const std::string& file, const std::string& text);  // notes such a file in every run
    std::set<std::string> told;                                      // who remembers something, as was said
    std::function<void()> begun;  // is called when a run has joined them; may be empty
    std::string inside;           // whose function works within an operation; see Inside
};

// A function of the script that works within an operation: a policy, or what weighs an update. A resumed run takes the
// operation's result from the journal and does not call it, so whatever is recorded must not be begun in it.
class Inside {
public:
    Inside(Session& session, std::string whose)
        : session_(session), outer_(std::exchange(session.inside, std::move(whose))) {}
    ~Inside() { session_.inside = outer_; }
    Inside(const Inside&) = delete;

private:
    Session& session_;
    std::string outer_;
};
void refuse_inside(const Session&, const std::string& operation);  // throws Error(input)

// A word as a shell reads it: in single quotes where it holds more than letters, digits and a few marks.
std::string for_shell(const std::string& word);

// The command line that goes on with what this one began, for a shell.
std::string resume_command(const Session&);

}  // namespace hone
