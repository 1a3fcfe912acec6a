// The process that forks a process for each Python program: it has imported torch, which takes seconds, and holds no
// device context, which no fork survives. It runs nothing of a program's.
#pragma once
#include <optional>
#include <string>
#include <vector>
#include "hone/plugin.hpp"

namespace hone::python {

// How a forked process began.
struct Beginning {
    int pid = 0;
    std::string verdict, reason;  // both empty: the program can be called
};

class Zygote {
public:
    // python: a program, searched for in PATH unless it is a path. device: as torch names it. Starts with the first
    // fork. Throws Refused where there is no such program.
    Zygote(const Host&, const std::string& python, std::string device);
    ~Zygote();
    Zygote(const Zygote&) = delete;

    // Starts the process where none lives. Throws Failed where Python ends, for want of torch.
    void require();
    // order, files: as runner/zygote.py reads them. Throws Failed where no process can be made.
    Beginning fork(const std::string& order, const std::vector<int>& files);
    // "lives", "exit N" or "signal N"; "none": there is no such process, or it has died with this one.
    std::string how_it_ended(int pid);
    void end(int pid);                              // no harm where it has ended
    bool has_answered() const { return answers_; }  // as it began last
    int generation() const { return generation_; }  // another one: all that was forked before is gone

private:
    void start();
    void begin();  // and waits until it answers; throws Failed where it does not
    std::optional<std::string> tell(const std::string& message, const std::vector<int>& files, double seconds);

    Host host_;
    std::string python_, device_;
    hone_jail jail_{};
    int generation_ = 0;
    bool answers_ = false;
};

// The path of a program that PATH has; empty: none.
std::string find_program(const std::string& name);

inline constexpr hone_option python_option = {"python", "text", "python3", nullptr,
                                              "the program that runs Python, with torch"};
inline constexpr hone_option remake_option = {"remake", "bool", "false", nullptr,
                                              "in a task that has weights ModelNew is made anew with each call's: for "
                                              "programs whose constructor derives something "
                                              "from them"};

}  // namespace hone::python
