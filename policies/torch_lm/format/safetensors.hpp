// safetensors.hpp: the safetensors container: 8 bytes little-endian header length, a JSON header, the tensors end to
// end. A file may come from anywhere: every offset is checked before it is used.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>
#include "torch_lm/format/mapped_file.hpp"
#include "torch_lm/format/weight_source.hpp"

namespace hone::lm {

struct StoredTensor {
    std::string dtype;  // "F32", "BF16", ...
    Extents shape;
    const char* at;  // into the file's bytes; any alignment
    std::uint64_t bytes;
};

struct SafeTensorsHeader {
    std::map<std::string, StoredTensor> tensors;
    std::map<std::string, std::string> metadata;
};

// bytes: the whole file. Throws Refused: `PLACE: cause`.
SafeTensorsHeader read_safetensors(std::string_view bytes, const std::string& place);

// A file, mapped. Reads F32, F16 and BF16.
class SafeTensors : public WeightSource {
public:
    explicit SafeTensors(const std::string& path);  // throws Refused: `PATH: cause`
    bool has(const std::string& name) const override { return header_.tensors.contains(name); }
    void read(const std::string& name, const Extents& shape, std::span<float> to) const override;
    void read(const std::string& name, const Extents& shape, std::span<std::uint16_t> bf16_bits) const override;
    const StoredTensor& tensor(const std::string& name) const;  // throws Refused if there is none
    const std::map<std::string, std::string>& metadata() const { return header_.metadata; }
    const std::map<std::string, StoredTensor>& tensors() const { return header_.tensors; }

private:
    template <class To> void read_into(const std::string& name, const Extents& shape, std::span<To> to) const;
    MappedFile file_;
    SafeTensorsHeader header_;
};

struct TensorToStore {
    std::string name;
    Extents shape;
    std::variant<std::span<const float>, std::span<const std::uint16_t>> values;  // F32, or the bits of BF16
};

void write_safetensors(const std::string& path, const std::vector<TensorToStore>& tensors,
                       const std::map<std::string, std::string>& metadata);

}  // namespace hone::lm
