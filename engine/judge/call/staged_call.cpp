#include "judge/call/staged_call.hpp"
#include "domain/task.hpp"

namespace hone {
namespace {

std::uint64_t bytes_of(const hone_tensor& tensor) {
    std::uint64_t bytes = dtype_bytes(tensor.dtype);
    for (std::int32_t i = 0; i < tensor.rank; ++i) bytes *= static_cast<std::uint64_t>(tensor.shape[i]);
    return bytes;
}

}  // namespace

StagedCall::StagedCall(const hone_call& call, Memory& memory) : on_device_(call), memory_(memory), staged_(call) {
    for (std::uint32_t i = 0; i < call.n_in; ++i) {
        in_.push_back(make_room(call.in[i]));
        memory_.read(call.in[i].at, on_host::at<void>(in_.back().at), bytes_of(call.in[i]));
    }
    for (std::uint32_t i = 0; i < call.n_out; ++i) out_.push_back(make_room(call.out[i]));
    staged_.in = in_.data();
    staged_.out = out_.data();
    staged_.scratch = staged_.scratch_bytes = 0;
}

void StagedCall::write_outputs() {
    for (std::size_t i = 0; i < out_.size(); ++i)
        memory_.write(on_device_.out[i].at, on_host::at<void>(out_[i].at), bytes_of(out_[i]));
}

hone_tensor StagedCall::make_room(const hone_tensor& tensor) {
    room_.push_back(std::make_unique<double[]>(bytes_of(tensor) / sizeof(double) + 1));
    hone_tensor here = tensor;
    here.at = reinterpret_cast<std::uint64_t>(room_.back().get());
    return here;
}

}  // namespace hone
