// timer.wall: the monotonic clock of the bench around launch and wait. The candidate runs in another process and cannot
// reach it.
//
// Inputs and outputs were just written when a call begins, so the caches hold some of them, for both sides of a pair
// alike. With flush = true none of them is in any cache: the state that most published figures mean, and the worst one
// for kernels that a program runs back to back.
#include <time.h>
#include <algorithm>
#include <cstring>
#include <vector>
#include "hone/plugin.hpp"

namespace {

double now() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

#if defined(__x86_64__)
constexpr bool can_flush = true;
void flush_line(const char* at) { __builtin_ia32_clflush(at); }
#else
constexpr bool can_flush = false;
void flush_line(const char*) {}
#endif

constexpr size_t line_bytes = 64;

void flush_bytes(const char* at, size_t bytes) {
    const uintptr_t begin = reinterpret_cast<uintptr_t>(at) / line_bytes * line_bytes;
    for (uintptr_t line = begin; line < reinterpret_cast<uintptr_t>(at) + bytes; line += line_bytes)
        flush_line(reinterpret_cast<const char*>(line));
    __sync_synchronize();
}

size_t element_bytes(int dtype) {
    switch (dtype) {
        case HONE_F64:
        case HONE_I64:
            return 8;
        case HONE_F32:
        case HONE_I32:
            return 4;
        case HONE_F16:
        case HONE_BF16:
            return 2;
        default:
            return 1;
    }
}

// How many times longer it takes to read a megabyte after flushing it: whether the flush works is seen, not believed.
double flush_effect() {
    std::vector<uint64_t> buffer(size_t{1} << 17, 1);
    const auto* bytes = reinterpret_cast<const char*>(buffer.data());
    const auto read = [&] {
        const double begun = now();
        uint64_t sum = 0;
        for (size_t i = 0; i < buffer.size(); i += line_bytes / sizeof(uint64_t)) sum += buffer[i];
        asm volatile("" : : "r"(sum) : "memory");
        return now() - begun;
    };
    double warm = 1, cold = 1;
    for (int i = 0; i < 16; ++i) {
        read();
        warm = std::min(warm, read());
        flush_bytes(bytes, buffer.size() * sizeof(uint64_t));
        cold = std::min(cold, read());
    }
    return cold / warm;
}

struct Wall : hone::TimerPart {
    Wall(hone::Host host, hone::Doc given) : host_(host), flush_(given.flag("flush")) {
        if (!flush_) return;
        effect_ = can_flush ? flush_effect() : 1;
        if (effect_ < least_effect) throw hone::Refused("flush = true does not empty the caches of this processor");
    }

    void flush(const hone_tensor* touched, uint32_t n) override {
        for (uint32_t i = 0; flush_ && i < n; ++i) {
            size_t bytes = element_bytes(touched[i].dtype);
            for (int32_t d = 0; d < touched[i].rank; ++d) bytes *= static_cast<size_t>(touched[i].shape[d]);
            flush_bytes(reinterpret_cast<const char*>(touched[i].at), bytes);
        }
    }

    hone_sample time(const hone_run& run) override {
        double inside;
        const double begun = now();
        for (uint32_t call = 0; call < run.calls; ++call) {
            host_.check(run.launch(run.ctx, call), "the launch failed");
            host_.check(run.wait(run.ctx, &inside), "the call failed");
        }
        return {now() - begun, 0, 0, 0};
    }

    void facts(hone::Out out) override {
        timespec resolution;
        clock_getres(CLOCK_MONOTONIC, &resolution);
        out.num("resolution", static_cast<double>(resolution.tv_sec) + 1e-9 * static_cast<double>(resolution.tv_nsec));
        double least = 1;
        for (int i = 0; i < 100; ++i) {
            const double begun = now();
            least = std::min(least, now() - begun);
        }
        out.num("overhead", least);
        if (flush_) out.num("flush_effect", effect_);
    }

    static constexpr hone_option options[] = {
        {"flush", "bool", "false", nullptr,
         "no input or output is in a cache when a call begins; facts then tell flush_effect: how many times longer a "
         "read takes after it"},
        {}};

private:
    static constexpr double least_effect = 1.5;
    hone::Host host_;
    bool flush_;
    double effect_ = 1;
};

}  // namespace

HONE_TIMER(Wall, "wall", "0.1", "wall-clock seconds around launch and wait, taken in the bench", "cpu", "s")
