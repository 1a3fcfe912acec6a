// A task's definition as torch.compile's Inductor has compiled it ahead of time, in a package of a folder
// (scripts/compile_references.py).
#pragma once
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>
#include "hone/plugin.hpp"
#include "transcript.hpp"

namespace hone::torch_reference {

// The place of one task's package: FOLDER/NAME-HASH-DEVICE.pt2 for its timed shape and this version of the task, and
// beside it, while there is none, the transcript that it is to be made from.
class Package {
public:
    Package(const std::filesystem::path& folder, Doc task, c10::Device);
    bool exists() const { return std::filesystem::exists(stem_ + ".pt2"); }
    std::string file() const { return stem_ + ".pt2"; }
    bool is_timed(const hone_call&) const;
    bool lacks_all() const { return !exists() && !std::filesystem::exists(stem_ + ".json"); }
    // "": done; else why not.
    std::string write(const Transcript&, bool tf32) const;

private:
    std::string stem_, task_;
    c10::Device device_;
    std::vector<std::int64_t> sizes_;
};

class Compiled {
public:
    Compiled(const Package&, c10::Device);  // throws Refused
    // Results stay where the package puts them, as in a program of torch's; deliver copies them. Both throw what torch
    // throws.
    void run(const std::vector<at::Tensor>& inputs) { results_ = loader_->run(inputs); }
    void deliver(const std::vector<at::Tensor>& outputs) const;

private:
    std::unique_ptr<torch::inductor::AOTIModelPackageLoader> loader_;
    std::vector<at::Tensor> results_;
};

}  // namespace hone::torch_reference
