// safetensors.hpp: the safetensors container: 8 bytes little-endian header length, a JSON header, the tensors end to
// end. A file may come from anywhere: every offset is checked before it is used.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hone::lm {

struct StoredTensor {
    std::string dtype;  // "F32", "BF16", ...
    std::vector<std::int64_t> shape;
    const char* at;  // into the file's mapping; any alignment
    std::uint64_t bytes;
};

// A file, mapped. Throws Refused: `PATH: cause`.
class SafeTensors {
public:
    explicit SafeTensors(const std::string& path);
    bool has(const std::string& name) const { return tensors_.contains(name); }
    const StoredTensor& tensor(const std::string& name) const;  // throws Refused if there is none
    // Converts a tensor of the given shape (F32, F16 or BF16 in the file) into `to`.
    void read(const std::string& name, const std::vector<std::int64_t>& shape, std::span<float> to) const;
    const std::map<std::string, std::string>& metadata() const { return metadata_; }
    const std::map<std::string, StoredTensor>& tensors() const { return tensors_; }

private:
    void parse();
    void check_layout(std::uint64_t data_bytes) const;
    struct Unmap {
        std::uint64_t bytes;
        void operator()(const char* at) const;
    };
    std::string path_;
    std::uint64_t bytes_ = 0;
    std::unique_ptr<const char, Unmap> map_;
    std::map<std::string, StoredTensor> tensors_;
    std::map<std::string, std::string> metadata_;
};

struct TensorToStore {
    std::string name;
    std::vector<std::int64_t> shape;
    std::span<const float> values;
};

void write_safetensors(const std::string& path, const std::vector<TensorToStore>& tensors,
                       const std::map<std::string, std::string>& metadata);

}  // namespace hone::lm
