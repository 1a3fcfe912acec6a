// safetensors_folder.hpp: the weights of a Hugging Face folder.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>
#include "torch_lm/format/safetensors.hpp"

namespace hone::lm {

// model.safetensors, or the files that model.safetensors.index.json lists.
class SafeTensorsFolder : public WeightSource {
public:
    explicit SafeTensorsFolder(const std::string& folder);  // throws Refused
    bool has(const std::string& name) const override { return places_.contains(name); }
    void read(const std::string& name, const Extents& shape, std::span<float> to) const override;
    void read(const std::string& name, const Extents& shape, std::span<std::uint16_t> bf16_bits) const override;
    // But for the frequencies of rotary positions, which old folders hold.
    std::vector<std::string> beside(const std::set<std::string>& used) const override;

private:
    void open(const std::string& path);
    void open_listed(const std::string& folder);
    const SafeTensors& file_of(const std::string& name) const;
    std::string place_;  // what says which tensors there are
    std::vector<std::unique_ptr<SafeTensors>> files_;
    std::map<std::string, const SafeTensors*> places_;  // of each tensor
};

}  // namespace hone::lm
