#include "lint/float64_answer.hpp"
#include <limits>
#include "judge/correctness/numbers.hpp"

namespace hone {
namespace {

struct HostTensor {
    std::vector<double> floats;
    std::string whole;
    hone_tensor tensor;

    HostTensor(const TensorSpec& spec, const std::string* bytes) {
        const auto n = static_cast<std::size_t>(spec.elements());
        if (is_float(spec.dtype)) {
            floats = bytes ? widened(spec.dtype, bytes->data(), n)
                           : std::vector<double>(n, std::numeric_limits<double>::quiet_NaN());
        } else {
            whole = bytes ? *bytes : std::string(spec.bytes(), '\0');
        }
        const void* at = is_float(spec.dtype) ? static_cast<const void*>(floats.data()) : whole.data();
        tensor = {reinterpret_cast<std::uint64_t>(at), is_float(spec.dtype) ? HONE_F64 : spec.dtype,
                  static_cast<std::int32_t>(spec.shape.size()), spec.shape.data()};
    }
};

}  // namespace

Numbers answer_in_float64(ReferenceProgram& float64, const Layout& layout, const std::vector<std::string>& inputs) {
    std::vector<HostTensor> in, out;
    in.reserve(layout.inputs().size());  // tensors point into their elements
    out.reserve(layout.outputs().size());
    std::vector<hone_tensor> in_tensors, out_tensors;
    for (std::size_t i = 0; i < layout.inputs().size(); ++i)
        in_tensors.push_back(in.emplace_back(layout.inputs()[i], &inputs[i]).tensor);
    for (const TensorSpec& spec : layout.outputs()) out_tensors.push_back(out.emplace_back(spec, nullptr).tensor);
    hone_call call = layout.call();
    call.in = in_tensors.data();
    call.out = out_tensors.data();
    call.scratch = call.scratch_bytes = 0;
    call.values = nullptr;
    float64.launch(call);
    Numbers values;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const TensorSpec& spec = layout.outputs()[i];
        values.push_back(is_float(spec.dtype)
                             ? std::move(out[i].floats)
                             : widened(spec.dtype, out[i].whole.data(), static_cast<std::size_t>(spec.elements())));
    }
    return values;
}

}  // namespace hone
