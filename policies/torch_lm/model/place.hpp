// place.hpp: where a model lies and what computes with it. LibTorch's part for CUDA is opened at run time.
#pragma once
#include <cstdint>
#include <string>

namespace hone::lm {

constexpr int on_host = -1;

struct Place {
    int gpu = on_host;            // its number
    bool torch = gpu != on_host;  // transformer/, one worker; else host/, a worker a thread, float32 on the host
    bool bfloat16 = false;        // weights, and on a GPU activations; else float32
};

// "cpu", "cuda" or "cuda:N". Throws Refused where there is no such GPU, or no LibTorch for it.
Place place_of(const std::string& device);
std::string device_name(Place place);
double memory_of(Place place);  // bytes of the GPU
void finish(Place place);       // returns when the GPU has done all that was asked for

inline int workers(Place place, int threads) { return place.torch ? 1 : threads; }
// Tokens of a pass over whole sequences. The kernels' activations stay near the cores; LibTorch's operators want many
// at once.
inline std::int64_t pass_tokens(Place place) {
    if (!place.torch) return 512;
    return place.gpu == on_host ? 2048 : 16384;
}

}  // namespace hone::lm
