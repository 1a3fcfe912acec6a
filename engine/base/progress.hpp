// base/progress.hpp: long work shows that it lives. One repainted line on a terminal, one plain line in ten seconds
// otherwise (also when CI, NO_COLOR or TERM=dumb say so), nothing with --quiet. Talk goes to stderr.
#pragma once
#include <string>

namespace hone {

class Progress {
public:
    enum class Left { told, unknown };        // whether the line tells how long it will still take
    Progress(std::string title, long total);  // total 0: unknown
    ~Progress();                              // takes the repainted line away
    // throttled, over all works of the program
    void update(long done, const std::string& note, Left = Left::told);
    void finish();  // the last line, where one was shown before
    static void set_quiet(bool);
    static void say(const std::string& line);   // a line of talk that does not tear the repainted one
    static void warn(const std::string& line);  // the same of what was lost: with --quiet too
private:
    std::string title_;
    long total_, done_ = 0;
    double begun_;
    bool shown_ = false;
};

}  // namespace hone
