#include "compiled.hpp"
#include <algorithm>
#include <fstream>
#include <dlfcn.h>
#include <unistd.h>

namespace hone::torch_reference {
namespace {

constexpr std::size_t hash_letters = 12;

}  // namespace

Package::Package(const std::filesystem::path& folder, Doc task, c10::Device device) : task_(task.text("name")), device_(device) {
    const std::string where = device.is_cuda() ? "cuda" : "cpu";
    stem_ = (folder / (task_ + "-" + task.text("hash").substr(0, hash_letters) + "-" + where)).string();
    for (long i = 0; i < task.count("sizes"); ++i) sizes_.push_back(task.integer("shape." + task.text("sizes." + std::to_string(i))));
}

bool Package::is_timed(const hone_call& call) const { return std::equal(call.sizes, call.sizes + call.n_sizes, sizes_.begin(), sizes_.end()); }

void Package::write(const Transcript& transcript, bool tf32) const {
    nlohmann::json doc = transcript.doc();
    doc.update({{"schema", "hone.transcript/1"}, {"task", task_}, {"device", device_.is_cuda() ? "cuda" : "cpu"}, {"tf32", tf32}});
    std::error_code ignored;
    std::filesystem::create_directories(std::filesystem::path(stem_).parent_path(), ignored);
    const std::string part = stem_ + ".json." + std::to_string(getpid());  // other benches write the same
    std::ofstream(part) << doc.dump(1) << '\n';
    std::error_code failed;
    std::filesystem::rename(part, stem_ + ".json", failed);
    if (failed) throw Refused("reference.torch: " + stem_ + ".json cannot be written: " + failed.message());
}

Compiled::Compiled(const Package& package, c10::Device device) {
    dlopen("libtorch_cpu.so", RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);  // packages name no library: they find the one that is loaded
    try {
        loader_ = std::make_unique<torch::inductor::AOTIModelPackageLoader>(package.file(), "model", /*run_single_threaded=*/true, /*num_runners=*/1,
                                                                            device.is_cuda() ? device.index() : c10::DeviceIndex(-1));
    } catch (const std::exception& e) {
        const std::string cause = e.what();  // the first line: a trace of torch's own code follows
        throw Refused("reference.torch: " + package.file() + " cannot be loaded: " + cause.substr(0, cause.find('\n')) +
                      "; remove it, or make it anew with scripts/compile_references.py");
    }
}

void Compiled::run(const std::vector<at::Tensor>& inputs, const std::vector<at::Tensor>& outputs) {
    results_ = loader_->run(inputs);
    if (results_.size() != outputs.size())
        throw Refused("its package gives " + std::to_string(results_.size()) + " results for " + std::to_string(outputs.size()) + " outputs");
    if (!std::exchange(first_, false)) return;
    for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i].copy_(results_[i]);
}

}  // namespace hone::torch_reference
