#include "compiled.hpp"
#include <dlfcn.h>
#include <torch/version.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include "libtorch/libtorch.hpp"

namespace hone::torch_reference {
namespace {

constexpr std::size_t hash_letters = 12;

}  // namespace

Package::Package(const std::filesystem::path& folder, Doc task, c10::Device device)
    : task_(task.text("name")), device_(device) {
    const std::string where = device.is_cuda() ? "cuda" : "cpu";
    stem_ = (folder / (task_ + "-" + task.text("hash").substr(0, hash_letters) + "-" + where)).string();
    for (long i = 0; i < task.count("sizes"); ++i)
        sizes_.push_back(task.integer("shape." + task.text("sizes." + std::to_string(i))));
}

bool Package::is_timed(const hone_call& call) const {
    return std::equal(call.sizes, call.sizes + call.n_sizes, sizes_.begin(), sizes_.end());
}

std::string Package::write(const Transcript& transcript, bool tf32) const {
    nlohmann::json doc = transcript.doc();
    doc.update({{"schema", "hone.transcript/1"},
                {"task", task_},
                {"device", device_.is_cuda() ? "cuda" : "cpu"},
                {"tf32", tf32},
                {"torch", TORCH_VERSION}});
    std::error_code failed;
    std::filesystem::create_directories(std::filesystem::path(stem_).parent_path(), failed);
    std::string part = stem_ + ".json.XXXXXX";  // other benches write the same
    const int file = mkstemp(part.data());
    if (file < 0) return stem_ + ".json cannot be written: " + std::strerror(errno);
    close(file);
    std::ofstream out(part);
    out << doc.dump(1) << '\n';
    out.close();
    if (out) std::filesystem::rename(part, stem_ + ".json", failed);
    if (out && !failed) return {};
    std::filesystem::remove(part, failed);
    return stem_ + ".json cannot be written: is the disk full?";
}

Compiled::Compiled(const Package& package, c10::Device device) {
    // packages name no library: they find the one that is loaded
    dlopen("libtorch_cpu.so", RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
    try {
        loader_ = std::make_unique<torch::inductor::AOTIModelPackageLoader>(
            package.file(), "model", /*run_single_threaded=*/true, /*num_runners=*/1,
            device.is_cuda() ? device.index() : c10::DeviceIndex(-1));
    } catch (const std::exception& e) {
        throw Refused("reference.torch: " + package.file() + " cannot be loaded: " + libtorch::first_line(e) +
                      "; remove it, then scripts/compile_references.py makes it anew");
    }
}

void Compiled::deliver(const std::vector<at::Tensor>& outputs) const {
    if (results_.size() != outputs.size())
        throw Refused("its package gives " + std::to_string(results_.size()) + " results for " +
                      std::to_string(outputs.size()) + " outputs");
    for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i].copy_(results_[i]);
}

}  // namespace hone::torch_reference
