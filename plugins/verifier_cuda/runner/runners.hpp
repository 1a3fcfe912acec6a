// Processes with a device context, made before they are needed: making one takes 54 ms on an H200. Each takes one
// candidate.
#pragma once
#include <string>
#include <utility>
#include <vector>
#include "hone/plugin.hpp"

namespace hone::cuda {

class RunnerProcess {
public:
    RunnerProcess() = default;
    RunnerProcess(const Host&, const std::string& program, const std::string& argument);
    RunnerProcess(RunnerProcess&& other) noexcept : jail_(std::exchange(other.jail_, {})) {}
    RunnerProcess& operator=(RunnerProcess&& other) noexcept { return std::swap(jail_, other.jail_), *this; }
    ~RunnerProcess() {
        if (jail_.end) jail_.end(jail_.ctx);
    }
    // false: it has ended; `end` gets why.
    bool lives(Out end) const { return jail_.wait(jail_.ctx, 0, const_cast<hone_out*>(end.raw())) == HONE_OK; }
    template <class Message, class Reply>
    bool tell(const Message& message, const std::vector<int>& files, Reply& reply, double seconds) const {
        std::uint64_t got = 0;
        return jail_.tell(jail_.ctx, &message, sizeof message, files.data(), static_cast<std::uint32_t>(files.size()),
                          &reply, sizeof reply, &got, seconds, nullptr) == HONE_OK &&
               got == sizeof reply;
    }

private:
    hone_jail jail_{};
};

class Runners {
public:
    Runners(const Host&, std::string program, std::string argument, std::size_t warm);
    // Starts what lacks. Making a context and ending one disturb who times meanwhile by up to 0.4 ms a call: this is
    // for before a candidate is compiled, so that both are over when it runs.
    void prepare();
    RunnerProcess take();  // one that lives

private:
    Host host_;
    std::string program_;
    std::string argument_;  // of the program
    std::size_t warm_;
    std::vector<RunnerProcess> waiting_;
};

}  // namespace hone::cuda
