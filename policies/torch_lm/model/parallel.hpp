// parallel.hpp: work for several cores in few, large pieces: each core takes whole sequences through all layers, so
// cores meet twice an update and once a decoded token, and OpenMP's threads may sleep in between.
#pragma once
#include <functional>

namespace hone::lm {

// Calls body(slot) for slot 0 .. slots-1, each on a thread of its own, denormals flushed to zero; one slot runs on the
// caller's thread, where
// LibTorch may use all threads for a product. The first exception is thrown again.
void on_threads(int slots, const std::function<void(int)>& body);
// For the products above and OpenMP; 0: as many as this process may use. Returns the number.
int use_threads(int threads);

}  // namespace hone::lm
