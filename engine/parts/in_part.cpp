#include "parts/in_part.hpp"
#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>
#include "base/error.hpp"
#include "base/progress.hpp"

namespace hone {
namespace {

constexpr std::size_t place_bytes = 128;
constinit thread_local InPart* innermost = nullptr;  // of this thread
constinit thread_local bool enters = false;          // whether this thread ever was in a part: a part's own never is
std::vector<InPart**> threads;                       // that are in a part: where the innermost of each stands
InPart* latest = nullptr;                            // the innermost of one of them
std::mutex changing;     // of all these and what they say; a signal handler reads them without
char* shared = nullptr;  // [place_bytes]

void keep_place() {
    if (shared) InPart::tell(shared, place_bytes);
}

}  // namespace

InPart::InPart(const std::string& part, const char* function) noexcept
    : part_(part.c_str()), function_(function), outer_(innermost), answered_(monotonic_seconds()) {
    const std::lock_guard lock(changing);
    if (!outer_) threads.push_back(&innermost);
    innermost = latest = this;
    enters = true;
    keep_place();
}

InPart::~InPart() {
    const std::lock_guard lock(changing);
    innermost = outer_;
    if (outer_) outer_->answered_ = monotonic_seconds();
    else std::erase(threads, &innermost);
    latest = outer_ ? outer_ : threads.empty() ? nullptr : *threads.back();
    keep_place();
}

void InPart::answers() noexcept {
    const std::lock_guard lock(changing);
    if (innermost) innermost->answered_ = monotonic_seconds();
}

double InPart::silence(std::string& place) {
    const std::lock_guard lock(changing);
    const auto quietest = std::min_element(threads.begin(), threads.end(), [](InPart* const* a, InPart* const* b) {
        return (*a)->answered_ < (*b)->answered_;
    });
    if (quietest == threads.end()) return -1;
    char text[place_bytes];
    tell_of(**quietest, text, sizeof text);
    place = text;
    return monotonic_seconds() - (**quietest)->answered_;
}

void InPart::tell(char* text, std::size_t room) noexcept { tell_of(enters ? innermost : latest, text, room); }

void InPart::tell_of(const InPart* call, char* text, std::size_t room) noexcept {
    std::size_t n = 0;
    const auto add = [&](const char* from) {
        while (*from && n + 1 < room) text[n++] = *from++;
    };
    if (call) add(call->part_), add(" ("), add(call->function_), add(")");
    text[n] = '\0';
}

PartWatch::PartWatch(double patience) : thread_([this, patience] { watch(patience); }) {}

PartWatch::~PartWatch() {
    {
        const std::lock_guard lock(mutex_);
        end_ = true;
    }
    ended_.notify_all();
    thread_.join();
}

void PartWatch::watch(double patience) {
    std::unique_lock lock(mutex_);
    double next = patience;
    while (!ended_.wait_for(lock, std::chrono::duration<double>(patience / 10), [&] { return end_; })) {
        std::string place;
        const double silence = InPart::silence(place);
        if (silence < patience) next = patience;
        if (silence < next) continue;
        char seconds[32];
        std::snprintf(seconds, sizeof seconds, "%.3g", next);
        Progress::say(place + " has not answered for " + seconds + " s (Ctrl-C twice ends hone)");
        next *= 2;
    }
}

Fd make_place() {
    Fd file(memfd_create("place", MFD_CLOEXEC));
    if (!file || ftruncate(file.get(), place_bytes) != 0)
        throw Error(Blame::environment, "bench", std::string("no memory to share: ") + std::strerror(errno));
    return file;
}

bool share_place(int file) {
    void* const at = mmap(nullptr, place_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (at == MAP_FAILED) return false;
    shared = static_cast<char*>(at);
    keep_place();
    return true;
}

std::string place_in(const Fd& place) {
    char text[place_bytes] = "";
    if (pread(place.get(), text, sizeof text - 1, 0) <= 0 || !text[0]) return "";
    return std::string(" in ") + text;
}

}  // namespace hone
