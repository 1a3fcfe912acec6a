// judge/call/defences.hpp: the names of what stands between a candidate and a score. A test may switch one off (judge
// option `without`) to see that the attack it answers then wins; a judgement made so lists them in defences_off and is
// never a score.
//
// Some are layers that guard the same thing one behind the other. Off, such a defence is off with all its layers; `hone
// zoo --open` shows that each of them holds alone.
#pragma once
#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>
#include "base/error.hpp"
#include "base/options.hpp"

namespace hone {

struct Defence {
    const char *name, *what;
    std::array<const char*, 3> layers = {};  // names of other defences; null: no more
};

inline constexpr Defence defences[] = {
    {"truth", "outputs are compared with the task's definition in float64"},
    {"poison", "outputs are filled with a pattern that is no answer before every call"},
    {"wipe", "inputs and what programs may write to are overwritten before a process of theirs is opened"},
    {"fresh-keys", "one timed call after the other gets other inputs"},
    {"red-zones", "guard bytes around every tensor are looked at after the call"},
    {"input-check", "inputs are compared with what their key stands for after the call"},
    {"secret", "what is drawn by chance follows from a key that no draw tells"},
    {"whole-check", "every timed call is compared whole, not only at some places"},
    {"opening",
     "the time that opening programs takes does not count as timing, and a fresh measurement has three processes"},
    {"drawn-shapes",
     "some shapes are drawn anew for each judging; each size is in one of them far beyond the timed one"},
    {"timed-check", "the calls that are timed are checked, not only others before them"},
    {"repeat", "the same inputs twice must give the same bits"},
    {"strays", "in a part of the timed calls some elements of the inputs are far from all others"},
    {"late-inputs",
     "where a timer reads several calls together, each gets its inputs just before it, when the call before it is "
     "looked at; where host code commands the device, each call gets them within its time"},
    {"last-look", "where host code commands the device, a call's time ends with a look at its outputs"},
    {"slowest-inputs", "where the ratio depends on the kind of timed inputs, the slowest kind counts"},
    {"apart", "where host code commands the device, the baseline and empty calls are timed while no candidate is open"},
    {"late-check", "the processes that are timed are asked for inputs of other laws, among their calls and in the end"},
    {"touch", "one changed element of an input must show in the output of the next call at the same addresses"},
    {"age",
     "the process that is verified makes 300 calls, as far as a tenth of a second allows (on a device a fiftieth)"},
    {"hidden-shapes", "shapes that no prompt names are verified"},
    {"distributions", "inputs of other laws than the declared ones are verified"},
    {"constants-alone", "while a program prepacks its constants no other data is in its reach"},
    {"outside-clock", "time is taken in the bench, not in the candidate's process, or checked by a clock there"},
    {"early-sample", "outputs are sampled at the moment the candidate says that it is finished"},
    {"hold", "no thread of the candidate runs while outputs are compared and others are timed"},
    {"bell", "a candidate that was held stands until the clock of its next call has started"},
    {"deadline", "a call, a build and a start have a time limit"},
    {"watch", "a candidate that ended is noticed by the kernel's word, not by its own"},
    {"count", "the threads of a candidate are counted whenever it is held"},
    {"input-seal", "the candidate's process can only read the inputs"},
    {"seccomp", "a jail may make no system call that a kernel does not need"},
    {"landlock", "no file but the needed ones can be opened (compiler: its own and headers; jail: none)"},
    {"capabilities", "a jail has none of root's powers"},
    {"rlimits", "memory, file sizes and processor time are bounded"},
    {"namespaces", "no network but an empty one"},

    {"files", "no file of the machine is read, run or changed by a candidate", {"seccomp", "landlock"}},
    {"foreknowledge",
     "what a judge draws by chance is of no use to who foresees it",
     {"secret", "whole-check", "late-check"}},
    {"no-memory", "what a program keeps of its earlier calls is of no use", {"fresh-keys", "late-check"}},
    {"no-leftovers", "what the process before left in memory is of no use", {"wipe", "late-check"}},
    {"values", "a program is right for other values than the usual ones", {"distributions", "strays"}},
    {"timed-values",
     "a program that is only timed is right for other values than the usual ones",
     {"strays", "late-check"}},
    {"disk", "a candidate writes no file", {"seccomp", "landlock", "rlimits"}},
    {"signals", "a candidate's signals reach no other process", {"seccomp", "landlock"}},
    {"others-memory", "a candidate has no way into the memory of others", {"seccomp", "landlock", "capabilities"}},
    {"network", "a candidate reaches no network", {"seccomp", "namespaces"}},
    {"build-time", "a build comes to its end", {"deadline", "rlimits"}},
    {"inputs", "a candidate changes no input", {"input-seal", "input-check"}},
    {"return", "a call has ended when it has returned, not when its process has ended", {"watch", "timed-check"}},
    {"stoppable", "a candidate cannot get out of the reach of a stop", {"seccomp", "hold"}},
    {"team",
     "a candidate keeps the threads that it was started with, so that stopping it takes as long as stopping what it is "
     "compared with",
     {"seccomp", "count"}},
    {"no-later", "what is done after a call's end is of no use", {"hold", "timed-check"}},
};

// Of a defence, none if it is not made of any.
inline std::vector<std::string> layers_of(const std::string& name) {
    std::vector<std::string> layers;
    for (const Defence& defence : defences)
        for (const char* layer : defence.layers)
            if (defence.name == name && layer) layers.push_back(layer);
    return layers;
}

// The defences named in a comma list, layers in place of what is made of them. Throws Error(input) with a suggestion
// for a name that is none.
inline std::set<std::string> parse_defences(const std::string& list, const std::string& place) {
    std::vector<std::string> names;
    for (const Defence& defence : defences) names.push_back(defence.name);
    std::set<std::string> found;
    for (std::size_t begin = 0; begin < list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        const std::string name = list.substr(begin, end - begin);
        if (std::find(names.begin(), names.end(), name) == names.end())
            throw Error(Blame::input, place, "no defence \"" + name + "\"" + suggestion(name, names));
        const std::vector<std::string> layers = layers_of(name);
        found.insert(layers.begin(), layers.end());
        if (layers.empty()) found.insert(name);
        begin = end + 1;
    }
    return found;
}

}  // namespace hone
