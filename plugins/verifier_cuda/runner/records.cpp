#include "verifier_cuda/runner/records.hpp"
#include <dlfcn.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <type_traits>

namespace hone::cuda {
namespace {

constexpr int kinds[] = {cupti_copy, cupti_set, cupti_kernel};
constexpr unsigned force = 1;
constexpr std::size_t room = 1 << 16, alignment = 8;

// CUPTI's callbacks have no context.
constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
std::uint64_t first_start = never, last_end = 0;
int (*next_record)(std::uint8_t* buffer, std::size_t valid, CuptiRecord**);

void request(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most) {
    *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(alignment, room));
    *bytes = *buffer ? room : 0;
    *most = 0;  // as many as fit
}

void complete(void*, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
    for (CuptiRecord* record = nullptr; valid && next_record(buffer, valid, &record) == 0;) {
        if (std::find(std::begin(kinds), std::end(kinds), record->kind) == std::end(kinds)) continue;
        first_start = std::min(first_start, record->start);
        last_end = std::max(last_end, record->end);
    }
    std::free(buffer);
}

}  // namespace

Records::Records(const std::string& path) {
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) throw std::runtime_error(std::string("CUPTI cannot be opened: ") + dlerror());
    int (*enable)(int kind) = nullptr;
    int (*set_callbacks)(decltype(&request), decltype(&complete)) = nullptr;
    const auto load = [&](const char* symbol, auto& into) {
        into = reinterpret_cast<std::remove_reference_t<decltype(into)>>(dlsym(library, symbol));
        if (!into) throw std::runtime_error(std::string("CUPTI is too old: it has no ") + symbol);
    };
    load("cuptiActivityRegisterCallbacks", set_callbacks);
    load("cuptiActivityEnable", enable);
    load("cuptiActivityFlushAll", flush_);
    load("cuptiActivityGetNextRecord", next_record);
    if (set_callbacks(request, complete) != 0) throw std::runtime_error("CUPTI refuses to record");
    for (const int kind : kinds)
        if (const int refused = enable(kind))
            throw std::runtime_error("CUPTI refuses to record: error " + std::to_string(refused));
}

double Records::take() {
    flush_(force);
    const double seconds = last_end ? 1e-9 * static_cast<double>(last_end - first_start) : NAN;
    first_start = never, last_end = 0;
    return seconds;
}

}  // namespace hone::cuda
