// base/progress.hpp: long work shows that it lives. One repainted line on a terminal, one plain line every tenth otherwise (also when CI,
// NO_COLOR or TERM=dumb say so), nothing with --quiet. Talk goes to stderr.
#pragma once
#include <string>

namespace hone {

class Progress {
public:
    Progress(std::string title, long total);          // total 0: unknown
    ~Progress();
    void update(long done, const std::string& note);  // throttled to ten a second
    void finish(const std::string& note);
    static void set_quiet(bool);
    static void say(const std::string& line);         // a line of talk that does not tear the repainted one
private:
    std::string title_;
    long total_, done_ = 0, last_tenth_ = -1;
    double begun_, painted_ = 0;
};

}  // namespace hone
