// hone-library-steps.so: LibTorch for the library steps of launch plans, opened by hone-jail-cuda.
#include "verifier_cuda/library/library.hpp"
#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/ops/ones.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/InferenceMode.h>
#include <dlfcn.h>
#include <filesystem>
#include <memory>
#include <optional>
#include "libtorch/libtorch.hpp"
#include "verifier_cuda/library/operators.hpp"

namespace hone::cuda {
namespace {

class LibTorch : public Library {
public:
    LibTorch(int device, void* queue)
        : device_(device < 0 ? c10::Device(c10::kCPU) : c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(device))),
          queue_(queue) {
        if (device_.is_cuda()) libtorch::open_cuda();
        // the judge refuses programs that give other bits for the same inputs, and algorithms are chosen accordingly
        at::globalContext().setDeterministicCuDNN(true);
        // cuDNN's attention finds no plan in a confined process
        at::globalContext().setSDPUseCuDNN(false);
        if (device_.is_cuda()) use_once();
    }

    void set_precision(bool tf32) override { libtorch::set_precision(tf32_ = tf32); }

    Outcome run(const LibraryStep& step, const std::uint64_t* addresses, std::string& why) noexcept override {
        try {
            on_queue([&] { run_operator(step, inputs(step, addresses), tensor(step.out, addresses), tf32_); });
            return Outcome::done;
        } catch (const c10::OutOfMemoryError& e) {
            return why = libtorch::first_line(e), Outcome::without_memory;
        } catch (const std::exception& e) {
            return why = libtorch::first_line(e), Outcome::failed;
        }
    }

    std::vector<std::string> folders() const override {
        Dl_info where{};
        if (!dladdr(reinterpret_cast<const void*>(&c10::get_default_dtype), &where)) return {};
        const std::filesystem::path libraries = std::filesystem::canonical(where.dli_fname).parent_path();
        // as PyPI's wheels lie beside each other; and the system's
        return {libraries, libraries / "../../nvidia", "/usr/lib", "/lib", "/etc/ld.so.cache"};
    }

private:
    template <class Body> void on_queue(Body&& body) {
        const c10::InferenceMode inference;
        std::optional<libtorch::OnQueue> here;
        if (device_.is_cuda()) here.emplace(device_, queue_);
        body();
    }
    // A first use opens libraries and makes their handles, which a confined process could not.
    void use_once() {
        on_queue([&] {
            for (const at::ScalarType type : {at::kFloat, at::kHalf}) {
                const auto ones = [&](at::IntArrayRef shape) {
                    return at::ones(shape, at::TensorOptions().dtype(type).device(device_));
                };
                run_operator({Operator::linear}, {ones({16, 16}), ones({16, 16}), ones({16})}, ones({16, 16}), false);
                LibraryStep convolution{Operator::convolution};
                convolution.window = {2, {1, 1}, {}, {1, 1}};
                run_operator(convolution, {ones({1, 8, 8, 8}), ones({8, 8, 3, 3})}, ones({1, 8, 6, 6}), false);
            }
        });
        at::detail::getCUDAHooks().deviceSynchronize(device_.index());
    }
    at::Tensor tensor(const Operand& operand, const std::uint64_t* addresses) const {
        return libtorch::view(addresses[operand.spot.tensor] + operand.spot.offset, operand.dtype,
                              {operand.shape, operand.rank}, {operand.strides, operand.rank}, device_);
    }
    std::vector<at::Tensor> inputs(const LibraryStep& step, const std::uint64_t* addresses) const {
        std::vector<at::Tensor> made;
        for (const Operand& operand : step.in)
            if (operand.bytes) made.push_back(tensor(operand, addresses));
        return made;
    }

    c10::Device device_;
    void* queue_;
    bool tf32_ = false;
};

}  // namespace
}  // namespace hone::cuda

#pragma GCC visibility push(default)
extern "C" hone::cuda::Library* hone_open_library(int device, void* queue, std::string& why) {
    try {
        return std::make_unique<hone::cuda::LibTorch>(device, queue).release();
    } catch (const std::exception& e) {
        why = hone::libtorch::first_line(e);
        return nullptr;
    }
}
#pragma GCC visibility pop
