#include "torch_lm/format/safetensors.hpp"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include "hone/plugin.hpp"
#include "torch_lm/format/files.hpp"

namespace hone::lm {
namespace {

using nlohmann::json;

constexpr std::uint64_t most_header_bytes = 100'000'000;  // as the reference implementation
const std::map<std::string, std::uint64_t> bytes_of_dtype = {
    {"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2}, {"I64", 8},  {"I32", 4},     {"I16", 2},    {"I8", 1},
    {"U64", 8}, {"U32", 4}, {"U16", 2}, {"U8", 1},   {"BOOL", 1}, {"F8_E4M3", 1}, {"F8_E5M2", 1}};

std::string text_of(const std::vector<std::int64_t>& shape) { return json(shape).dump(); }

float from_half(std::uint16_t bits) {  // IEEE 754 binary16
    const std::uint32_t sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31, fraction = bits & 1023u;
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
    if (exponent == 0)
        return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(static_cast<float>(fraction) * 0x1p-24f));
    return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

float from_bfloat(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

// The bytes that a shape and dtype take, or an error text.
std::uint64_t expected_bytes(const StoredTensor& tensor, const std::string& place) {
    const auto size = bytes_of_dtype.find(tensor.dtype);
    if (size == bytes_of_dtype.end()) throw Refused(place + "has the unknown dtype \"" + tensor.dtype + "\"");
    std::uint64_t bytes = size->second;
    for (const std::int64_t extent : tensor.shape)
        if (extent < 0 || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(extent), &bytes))
            throw Refused(place + "has the impossible shape " + text_of(tensor.shape));
    return bytes;
}

StoredTensor stored_tensor(const json& entry, const char* data, std::uint64_t data_bytes, const std::string& place) {
    StoredTensor tensor{entry.at("dtype").get<std::string>(), entry.at("shape").get<std::vector<std::int64_t>>(),
                        nullptr, 0};
    const auto begin = entry.at("data_offsets").at(0).get<std::uint64_t>(),
               end = entry.at("data_offsets").at(1).get<std::uint64_t>();
    if (begin > end || end > data_bytes)
        throw Refused(place + "lies outside the file (" + std::to_string(begin) + " to " + std::to_string(end) +
                      " of " + std::to_string(data_bytes) + " bytes)");
    tensor.at = data + begin;
    tensor.bytes = end - begin;
    const std::uint64_t expected = expected_bytes(tensor, place);
    if (expected != tensor.bytes)
        throw Refused(place + "takes " + std::to_string(tensor.bytes) + " bytes, but " + tensor.dtype + " " +
                      text_of(tensor.shape) + " needs " + std::to_string(expected));
    return tensor;
}

}  // namespace

SafeTensors::SafeTensors(const std::string& path) : path_(path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (file < 0 || ::fstat(file, &status) != 0) throw Refused(path + ": cannot be read: " + std::strerror(errno));
    bytes_ = static_cast<std::uint64_t>(status.st_size);
    void* map = bytes_ ? ::mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0) : nullptr;
    ::close(file);
    if (map == MAP_FAILED) throw Refused(path + ": cannot be mapped: " + std::strerror(errno));
    map_ = {static_cast<const char*>(map), Unmap{bytes_}};
    try {
        parse();
    } catch (const json::exception& e) {
        throw Refused(path + ": the header is not what safetensors prescribe: " + e.what());
    }
}

void SafeTensors::Unmap::operator()(const char* at) const { ::munmap(const_cast<char*>(at), bytes); }

void SafeTensors::parse() {
    std::uint64_t header = 0;
    const char* start = map_.get();
    if (bytes_ >= 8) std::memcpy(&header, start, 8);  // little-endian, as every machine that hone runs on
    if (bytes_ < 8 || header > bytes_ - 8 || header > most_header_bytes)
        throw Refused(path_ + ": is not a safetensors file, or was cut off (" + std::to_string(bytes_) + " bytes)");
    const json root = json::parse(std::string_view(start + 8, header));
    for (const auto& [name, entry] : root.items()) {
        if (name == "__metadata__") metadata_ = entry.get<std::map<std::string, std::string>>();
        else
            tensors_.emplace(name, stored_tensor(entry, start + 8 + header, bytes_ - 8 - header,
                                                 path_ + ": tensor \"" + name + "\" "));
    }
    check_layout(bytes_ - 8 - header);
}

void SafeTensors::check_layout(std::uint64_t data_bytes) const {
    std::vector<std::pair<const char*, std::uint64_t>> ranges;
    for (const auto& [name, tensor] : tensors_) ranges.emplace_back(tensor.at, tensor.bytes);
    std::sort(ranges.begin(), ranges.end());
    const char* end = map_.get() + bytes_ - data_bytes;
    for (const auto& [at, bytes] : ranges) {
        if (at != end) throw Refused(path_ + ": its tensors overlap or leave holes");
        end = at + bytes;
    }
    if (end != map_.get() + bytes_) throw Refused(path_ + ": has bytes behind its last tensor");
}

const StoredTensor& SafeTensors::tensor(const std::string& name) const {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) throw Refused(path_ + ": has no tensor \"" + name + "\"");
    return found->second;
}

void SafeTensors::read(const std::string& name, const std::vector<std::int64_t>& shape, std::span<float> to) const {
    const StoredTensor& from = tensor(name);
    if (from.shape != shape)
        throw Refused(path_ + ": tensor \"" + name + "\" has the shape " + text_of(from.shape) + "; config.json says " +
                      text_of(shape));
    if (from.dtype == "F32") {
        std::memcpy(to.data(), from.at, to.size_bytes());
        return;
    }
    if (from.dtype != "F16" && from.dtype != "BF16")
        throw Refused(path_ + ": tensor \"" + name + "\" is " + from.dtype + "; F32, F16 or BF16 is needed");
    for (std::size_t i = 0; i < to.size(); ++i) {
        std::uint16_t bits;
        std::memcpy(&bits, from.at + 2 * i, 2);
        to[i] = from.dtype == "F16" ? from_half(bits) : from_bfloat(bits);
    }
}

void write_safetensors(const std::string& path, const std::vector<TensorToStore>& tensors,
                       const std::map<std::string, std::string>& metadata) {
    nlohmann::ordered_json root = {{"__metadata__", metadata}};
    std::uint64_t end = 0;
    for (const TensorToStore& tensor : tensors) {
        const std::uint64_t begin = std::exchange(end, end + tensor.values.size_bytes());
        root[tensor.name] = {{"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
    }
    std::string file(8, '\0');
    file += root.dump();
    file.resize((file.size() + 7) / 8 * 8, ' ');  // data aligned to 8 bytes
    const std::uint64_t header = file.size() - 8;
    std::memcpy(file.data(), &header, 8);
    file.reserve(file.size() + end);
    for (const TensorToStore& tensor : tensors)
        file.append(reinterpret_cast<const char*>(tensor.values.data()), tensor.values.size_bytes());
    write_file(path, file);
}

}  // namespace hone::lm
