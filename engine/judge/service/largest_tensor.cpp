#include "judge/service/largest_tensor.hpp"
#include "base/quantity.hpp"

namespace hone {
namespace {

constexpr std::size_t large = 64u << 20;  // bytes; a bench fills, reads and compares several copies of each

}  // namespace

std::string largest_tensor_text(const Task& task) {
    std::string name;
    std::size_t most = 0;
    for (const char* side : {"inputs", "outputs"})
        for (const TensorSpec& spec : tensors(task, side, timed_shape(task)))
            if (spec.bytes() > most) most = spec.bytes(), name = spec.name;
    if (most < large) return "";
    return "; its largest tensor, " + name + ", has " + engineering(static_cast<double>(most), "B") +
           ": a smaller shape takes less time and memory (--shape, or another shape of the task)";
}

}  // namespace hone
