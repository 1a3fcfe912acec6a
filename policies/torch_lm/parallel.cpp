#include "parallel.hpp"
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <sched.h>
#include <exception>

namespace hone::lm {
namespace {

class FlushDenormals {
public:
    FlushDenormals() { at::globalContext().setFlushDenormal(true); }
    ~FlushDenormals() { at::globalContext().setFlushDenormal(false); }
};

int allowed_cores() {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

}  // namespace

void on_threads(int slots, const std::function<void(int)>& body) {
    std::exception_ptr failure;
#pragma omp parallel for num_threads(slots) schedule(static, 1) if (slots > 1)
    for (int slot = 0; slot < slots; ++slot) {
        try {
            const FlushDenormals flush;
            const c10::InferenceMode no_gradients;  // of LibTorch's: the model has its own
            body(slot);
        } catch (...) {
#pragma omp critical(hone_lm_failure)
            if (!failure) failure = std::current_exception();
        }
    }
    if (failure) std::rethrow_exception(failure);
}

int use_threads(int threads) {
    const int number = threads > 0 ? threads : allowed_cores();
    at::set_num_threads(number);
    return number;
}

}  // namespace hone::lm
