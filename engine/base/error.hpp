// base/error.hpp: the one exception of the engine: where it happened, what went wrong, how to mend it.
#pragma once
#include <stdexcept>
#include <string>

namespace hone {

// Who must act; also the exit code of the program (DESIGN 7).
enum class Blame {
    run = 1,          // the run failed or the candidate was rejected
    usage = 2,        // a wrong command line
    input = 3,        // a bad script, task or configuration
    environment = 4,  // a missing tool, a full disk, an unfit machine: `hone doctor` names it
    interrupted = 130
};

class Error : public std::runtime_error {
public:
    // place: file, line, part or command; cause: what went wrong; cure: what to do; empty: the cause says it.
    Error(Blame blame, std::string place, std::string cause, std::string cure = {})
        : std::runtime_error(join(place, cause, cure)),
          blame_(blame),
          place_(std::move(place)),
          cause_(std::move(cause)),
          cure_(std::move(cure)) {}
    Blame blame() const { return blame_; }
    int exit_code() const { return static_cast<int>(blame_); }
    const std::string& place() const { return place_; }
    const std::string& cause() const { return cause_; }
    const std::string& cure() const { return cure_; }

private:
    static std::string join(const std::string& place, const std::string& cause, const std::string& cure) {
        return (place.empty() ? "" : place + ": ") + cause + (cure.empty() ? "" : "; " + cure);
    }
    Blame blame_;
    std::string place_, cause_, cure_;
};

}  // namespace hone
