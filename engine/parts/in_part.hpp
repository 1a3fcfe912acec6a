// parts/in_part.hpp: which part this process is in, and in which of its functions: for whoever asks after its death.
#pragma once
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>
#include "base/process.hpp"

namespace hone {

// Lives as long as a call into a part; calls may be nested (a timer launches a candidate). Each thread has its own.
class InPart {
public:
    InPart(const std::string& part, const char* function) noexcept;  // `timer "wall"`, `time`: both outlive this
    ~InPart();
    InPart(const InPart&) = delete;
    static void answers() noexcept;  // this thread's innermost has asked for something, or given something
    // Of the thread whose innermost call is silent for longest: seconds since it began or answered, and `timer "wall"
    // (time)` in `place`; negative where no thread is in a part. Any thread.
    static double silence(std::string& place);
    // `timer "wall" (time)` of this thread's innermost, cut at `room`, with its end; "" in none. On a thread that never
    // was in a part, which may be a part's own: of another thread. Async-signal-safe.
    static void tell(char* text, std::size_t room) noexcept;

private:
    static void tell_of(const InPart* call, char* text, std::size_t room) noexcept;
    const char *part_, *function_;
    InPart* outer_;
    double answered_;  // monotonic seconds
};

// Tells of a call into a part that is silent for so many seconds, and again whenever that time has doubled: `policy "x"
// (sample) has not answered for 60 s`. A thread of its own.
class PartWatch {
public:
    explicit PartWatch(double patience = 60);
    ~PartWatch();
    PartWatch(const PartWatch&) = delete;

private:
    void watch(double patience);
    std::mutex mutex_;
    std::condition_variable ended_;
    bool end_ = false;
    std::thread thread_;
};

// A page through which one process sees which part another one is in, or was in when it died. Throws
// Error(environment).
Fd make_place();
bool share_place(int file);             // from now on this process keeps the page; false: the file is none
std::string place_in(const Fd& place);  // "", or ` in timer "wall" (time)`

}  // namespace hone
