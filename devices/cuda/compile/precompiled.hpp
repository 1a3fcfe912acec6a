// Headers that hone-nvrtc has precompiled. NVRTC maps them at one address, so they serve children of the process that
// has that address.
#pragma once
#include <sys/types.h>
#include <deque>
#include <string>
#include <vector>
#include "cuda/compile/nvrtc.hpp"

namespace hone::cuda {

// #include lines, and the line after which a precompiled header ends.
std::string prelude(const std::vector<std::string>& headers);

class Precompiled {
public:
    // folder: for files while they are made
    Precompiled(const Nvrtc& nvrtc, std::string folder) : nvrtc_(nvrtc), path_(std::move(folder) + "/headers.pch") {}
    // In this process: it also gives NVRTC's memory for them the address that children inherit.
    void make(const std::vector<std::string>& headers, const std::vector<std::string>& options);
    // Path of these headers as these options want them; "": not there yet, a child makes them for those who ask later.
    std::string find(const std::vector<std::string>& headers, const std::vector<std::string>& options);
    // Whether that child was one that made headers.
    bool ended(pid_t, int status);

private:
    struct Entry {
        std::string key;
        int file = -1;  // sealed memory
    };
    void compile(const std::vector<std::string>& headers, std::vector<std::string> options) const;
    int take() const;

    const Nvrtc& nvrtc_;
    const std::string path_;
    std::deque<Entry> entries_;
    pid_t maker_ = 0;  // makes the last entry
};

}  // namespace hone::cuda
