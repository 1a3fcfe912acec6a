// parts/in_part.hpp: which part this process is in, and in which of its functions: for whoever asks after its death.
#pragma once
#include <cstddef>
#include <string>
#include "base/process.hpp"

namespace hone {

// Lives as long as a call into a part; calls may be nested (a timer launches a candidate). Entered by one thread.
class InPart {
public:
    InPart(const std::string& part, const char* function) noexcept;  // `timer "wall"`, `time`: both outlive this
    ~InPart();
    InPart(const InPart&) = delete;
    // `timer "wall" (time)` of the innermost, cut at `room`, with its end; "" in none. Async-signal-safe.
    static void tell(char* text, std::size_t room) noexcept;

private:
    const char *part_, *function_;
    const InPart* outer_;
};

// A page through which one process sees which part another one is in, or was in when it died. Throws
// Error(environment).
Fd make_place();
bool share_place(int file);             // from now on this process keeps the page; false: the file is none
std::string place_in(const Fd& place);  // "", or ` in timer "wall" (time)`

}  // namespace hone
