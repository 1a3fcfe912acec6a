// Task documents (domain/task, task_check, extent), as JSON text.
#include "domain/task.hpp"
#include "property.hpp"

using namespace hone;

namespace {

void check_tensors(const Task& task, const Shape& shape) {
    for (const char* side : {"inputs", "outputs"})
        for (const TensorSpec& tensor : tensors(task, side, shape)) {
            fuzz::hold(tensor.elements() >= 1 && tensor.elements() <= (std::int64_t{1} << 36),
                       "tensors have a bounded size");
            fuzz::hold(tensor.bytes() == static_cast<std::size_t>(tensor.elements()) * dtype_bytes(tensor.dtype),
                       "bytes are of the dtype");
            if (*side == 'i') (void)parse_law(tensor.law);
        }
    fuzz::hold(sizes(task, shape).size() == task.sizes.size(), "every shape gives every size");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const Json doc = Json::parse(fuzz::view(bytes, size), nullptr, false);
    if (doc.is_discarded()) return 0;
    Task task;
    if (!fuzz::taken([&] { task = check_task(doc); })) return 0;
    fuzz::hold(to_json(check_task(to_json(task))) == to_json(task), "a checked task stays as it is");
    check_tensors(task, timed_shape(task));
    for (const Shape& shape : hidden_shapes(task)) check_tensors(task, shape);
    return 0;
}
