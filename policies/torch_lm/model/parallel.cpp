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

int allowed_cores() {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

}  // namespace

void on_threads(int slots, const std::function<void(int)>& body) {
    std::exception_ptr failure;
    const auto note = [&](const std::exception_ptr& e) {
#pragma omp critical(hone_lm_failure)
        if (!failure) failure = e;
    };
#pragma omp parallel for num_threads(slots) schedule(static, 1) if (slots > 1)
    for (int slot = 0; slot < slots; ++slot) {
        try {
            const FlushDenormals flush;
            const c10::InferenceMode no_gradients;  // of LibTorch's: the model has its own
            body(slot);
        } catch (const c10::Error& e) {
            note(std::make_exception_ptr(std::runtime_error(e.what_without_backtrace())));
        } catch (...) {
            note(std::current_exception());
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
