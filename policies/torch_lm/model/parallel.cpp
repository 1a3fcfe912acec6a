#include "torch_lm/model/parallel.hpp"
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <c10/util/Exception.h>
#include <sched.h>
#include <exception>
#include <stdexcept>

namespace hone::lm {
namespace {

class FlushDenormals {
public:
    FlushDenormals() { at::globalContext().setFlushDenormal(true); }
    ~FlushDenormals() { at::globalContext().setFlushDenormal(false); }
};

// LibTorch's errors end with a list of addresses.
[[noreturn]] void rethrow(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const c10::Error& e) {
        throw std::runtime_error(e.what_without_backtrace());
    }
}

int allowed_cores() {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

}  // namespace

void on_threads(int slots, const std::function<void(int)>& body) {
    std::exception_ptr failure;
    const auto run = [&](int slot) {
        try {
            const FlushDenormals flush;
            const c10::InferenceMode no_gradients;  // who wants LibTorch's ends it
            body(slot);
        } catch (...) {
#pragma omp critical(hone_lm_failure)
            if (!failure) failure = std::current_exception();
        }
    };
    // no parallel region for one: regions within it would make their threads anew each time. None for none: it would
    // wake every thread, and a server that nobody asks would keep a fifth of a core busy
    if (slots == 1) run(0);
    else if (slots > 1) {
#pragma omp parallel for num_threads(slots) schedule(static, 1)
        for (int slot = 0; slot < slots; ++slot) run(slot);
    }
    if (failure) rethrow(failure);
}

int use_threads(int threads) {
    const int number = threads > 0 ? threads : allowed_cores();
    at::set_num_threads(number);
    return number;
}

}  // namespace hone::lm
