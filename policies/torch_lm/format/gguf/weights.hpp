// weights.hpp: a GGUF file's tensors under their Hugging Face names.
#pragma once
#include <map>
#include <memory>
#include "torch_lm/format/config.hpp"
#include "torch_lm/format/gguf/file.hpp"
#include "torch_lm/format/mapped_file.hpp"

namespace hone::lm::gguf {

class Weights : public WeightSource {
public:
    // keep: owner of the bytes that the tensors lie in. Throws Refused where the file has a tensor that the
    // architecture's computation does not use.
    Weights(File file, const Config& config, std::shared_ptr<const MappedFile> keep);
    bool has(const std::string& name) const override { return tensors_.contains(name); }
    void read(const std::string& name, const Extents& shape, std::span<float> to) const override;
    void read(const std::string& name, const Extents& shape, std::span<std::uint16_t> bf16_bits) const override;
    const std::map<std::string, EncodedTensor>& tensors() const { return tensors_; }

private:
    template <class To> void read_into(const std::string& name, const Extents& shape, std::span<To> to) const;
    std::shared_ptr<const MappedFile> keep_;
    std::string place_;
    std::map<std::string, EncodedTensor> tensors_;
};

}  // namespace hone::lm::gguf
