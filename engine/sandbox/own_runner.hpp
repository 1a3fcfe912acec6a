// sandbox/own_runner.hpp: a verifier's own runner (hone_jail_plan.runner): a program that confines itself once its
// device is open, and with which the verifier exchanges messages and open files. The host gives it one end of a
// SOCK_SEQPACKET pair as descriptor 3, limits, and no network.
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include "base/process.hpp"
#include "sandbox/jail.hpp"

namespace hone {

class OwnRunner {
public:
    // Of the plan: runner, symbol (for the program's command line, null: none) and keeps. Throws Error(environment).
    OwnRunner(const hone_jail_plan&, const std::set<std::string>& without);
    // Sends one message with descriptors and waits for one answer. nullopt: answered, got bytes of it; otherwise how it
    // ended.
    std::optional<JailEnd> tell(std::span<const char> bytes, std::span<const int> files, std::span<char> reply,
                                std::uint64_t& got, double seconds);
    std::optional<JailEnd> watch();  // nullopt: it lives
    void suspend(bool held);

private:
    JailEnd death();
    Child child_;
    Fd socket_;
};

}  // namespace hone
