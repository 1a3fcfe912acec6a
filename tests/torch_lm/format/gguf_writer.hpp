// gguf_writer.hpp: GGUF files for tests, right or wrong in a named way.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hone::lm::test {

template <class Number> std::string bytes_of(Number number) {
    return std::string(reinterpret_cast<const char*>(&number), sizeof number);
}

inline std::string gguf_text(const std::string& text) { return bytes_of<std::uint64_t>(text.size()) + text; }

template <class Number> std::string bytes_of(const std::vector<Number>& numbers) {
    return std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number));
}

enum GgufType : std::uint32_t {
    gguf_u8,
    gguf_i8,
    gguf_u16,
    gguf_i16,
    gguf_u32,
    gguf_i32,
    gguf_f32,
    gguf_bool,
    gguf_string,
    gguf_array,
    gguf_u64,
    gguf_i64,
    gguf_f64
};
enum TensorType : std::uint32_t {
    f32_type = 0,
    f16_type = 1,
    q4_0_type = 2,
    q4_1_type = 3,
    q5_0_type = 6,
    q5_1_type = 7,
    q8_0_type = 8,
    q4_k_type = 12,
    q5_k_type = 13,
    q6_k_type = 14,
    bf16_type = 30
};

class GgufWriter {
public:
    std::uint32_t version = 3;
    std::uint64_t alignment = 32;             // of what is written; metadata says it only where a test does
    std::map<std::string, std::string> keys;  // each with its type and value, as they stand in the file
    struct Tensor {
        std::string name;
        std::vector<std::uint64_t> extents;  // in the file's order: the last of PyTorch's first
        std::uint32_t type;
        std::string bytes;
        std::int64_t offset = -1;  // -1: behind the one before
    };
    std::vector<Tensor> tensors;

    void whole(const std::string& key, std::uint32_t value) { put(key, gguf_u32, bytes_of(value)); }
    void number(const std::string& key, float value) { put(key, gguf_f32, bytes_of(value)); }
    void flag(const std::string& key, bool value) { put(key, gguf_bool, bytes_of<std::uint8_t>(value)); }
    void text(const std::string& key, const std::string& value) { put(key, gguf_string, gguf_text(value)); }
    void texts(const std::string& key, const std::vector<std::string>& values) {
        std::string all;
        for (const std::string& value : values) all += gguf_text(value);
        list(key, gguf_string, values.size(), all);
    }
    void wholes(const std::string& key, const std::vector<std::int32_t>& values) {
        list(key, gguf_i32, values.size(), bytes_of(values));
    }
    void numbers(const std::string& key, const std::vector<float>& values) {
        list(key, gguf_f32, values.size(), bytes_of(values));
    }
    void list(const std::string& key, std::uint32_t type, std::uint64_t count, const std::string& elements) {
        put(key, gguf_array, bytes_of(type) + bytes_of(count) + elements);
    }
    void put(const std::string& key, std::uint32_t type, const std::string& value) {
        keys[key] = bytes_of(type) + value;
    }
    // shape: PyTorch's
    void tensor(const std::string& name, std::vector<std::uint64_t> shape, std::uint32_t type, std::string bytes) {
        tensors.push_back({name, {shape.rbegin(), shape.rend()}, type, std::move(bytes)});
    }
    void floats(const std::string& name, std::vector<std::uint64_t> shape, const std::vector<float>& values) {
        tensor(name, std::move(shape), f32_type, bytes_of(values));
    }

    std::string bytes() const {
        std::string file =
            "GGUF" + bytes_of(version) + bytes_of<std::uint64_t>(tensors.size()) + bytes_of<std::uint64_t>(keys.size());
        for (const auto& [key, value] : keys) file += gguf_text(key) + value;
        std::string data;
        for (const Tensor& tensor : tensors) {
            file += record(tensor, tensor.offset < 0 ? data.size() : static_cast<std::uint64_t>(tensor.offset));
            data += tensor.bytes;
            data.resize((data.size() + alignment - 1) / alignment * alignment);
        }
        file.resize((file.size() + alignment - 1) / alignment * alignment);
        return file + data;
    }

private:
    static std::string record(const Tensor& tensor, std::uint64_t offset) {
        return gguf_text(tensor.name) + bytes_of(static_cast<std::uint32_t>(tensor.extents.size())) +
               bytes_of(tensor.extents) + bytes_of(tensor.type) + bytes_of(offset);
    }
};

}  // namespace hone::lm::test
