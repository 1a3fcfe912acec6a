// How hone-nvrtc and the children that it forks for candidates confine themselves.
#pragma once
#include <string>
#include <vector>

namespace hone::cuda {

class Lock {
public:
    // readable: what compiling needs to read; work: where a child writes its own temporary files; all: its parent
    Lock(const std::vector<std::string>& readable, const std::string& all, const std::string& work, unsigned seconds);
    bool enter() const;  // the server: no powers, no files but these
    // A child: no file of its siblings, no process, no connection, no code but what is loaded, and limits. Memory
    // counts from here.
    bool enter_child() const;

private:
    unsigned long address_space() const;
    const unsigned seconds_;  // of processor time
    int server_, child_;      // Landlock's rulesets; -1: this kernel has none
    // tells the server's address space, also to a child, which may open nothing of the kind
    int size_;
};

}  // namespace hone::cuda
