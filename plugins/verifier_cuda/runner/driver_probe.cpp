#include "verifier_cuda/runner/driver_probe.hpp"
#include <cstdio>
#include "cuda/driver.hpp"

namespace hone::cuda {
namespace {

constexpr double most_left = 0.05, least_kept = 0.5;

}  // namespace

std::string DriverProbe::weak() const {
    std::string words;
    const auto add = [&](const std::string& what) { words += (words.empty() ? "" : "; ") + what; };
    char text[96];
    if (!stores_fault) add("a store to an input does not end its program");
    if (!inputs_last) add("a program can change its inputs");
    if (slice > 0 && slice < shortest_slice) {
        std::snprintf(text, sizeof text, "kernels are interrupted after %.2f ms, which the clock does not expect",
                      1e3 * slice);
        add(text);
    }
    if (shared_kept < least_kept) add("whether shared memory is cleared between calls cannot be told");
    else if (shared_left > 0) add("shared memory of one call is there in the next");
    if (!flush) return words;
    if (!flush->tells()) add("whether the flush works cannot be told");
    else if (flush->left > most_left) {
        std::snprintf(text, sizeof text, "the flush leaves %.0f %% of the lines that a kernel keeps",
                      100 * flush->left);
        add(text);
    }
    return words;
}

void DriverProbe::tell(Out out) const {
    out.num("hand_over_seconds", hand_over);
    out.num("time_slice_seconds", slice);
    if (flush) {
        out.num("l2_hit_clocks", flush->hit);
        out.num("memory_clocks", flush->miss);
        out.num("flush_leaves", flush->left);
    }
    out.num("shared_memory_kept", shared_kept);
    out.num("shared_memory_left", shared_left);
    out.text("store_to_input", stores_fault ? "faults" : "passes");
    out.text("weak", weak());
}

}  // namespace hone::cuda
