#include "torch_lm/format/safetensors.hpp"
#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include "hone/plugin.hpp"
#include "torch_lm/format/encoding.hpp"
#include "torch_lm/format/files.hpp"
#include "torch_lm/text/json_text.hpp"
#include "torch_lm/text/utf8.hpp"

namespace hone::lm {
namespace {

using nlohmann::json;

constexpr std::uint64_t most_header_bytes = 100'000'000;  // as the reference implementation
const std::map<std::string, std::uint64_t> bytes_of_dtype = {
    {"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2}, {"I64", 8},  {"I32", 4},     {"I16", 2},    {"I8", 1},
    {"U64", 8}, {"U32", 4}, {"U16", 2}, {"U8", 1},   {"BOOL", 1}, {"F8_E4M3", 1}, {"F8_E5M2", 1}};

// A fraction, which would be rounded to a whole number, is refused here; what is negative or too large, by its user.
std::int64_t whole(const json& number, const std::string& place) {
    if (!number.is_number_integer()) throw Refused(place + "has " + first_words(number.dump()) + " for a whole number");
    return number.get<std::int64_t>();
}

Extents shape_of(const json& list, const std::string& place) {
    Extents shape;
    for (const json& extent : list) shape.push_back(whole(extent, place));
    return shape;
}

std::uint64_t expected_bytes(const StoredTensor& tensor, const std::string& place) {
    const auto size = bytes_of_dtype.find(tensor.dtype);
    if (size == bytes_of_dtype.end())
        throw Refused(place + "has the unknown dtype \"" + first_words(tensor.dtype) + "\"");
    const std::int64_t count = element_count(tensor.shape);
    std::uint64_t bytes = 0;
    if (count < 0 || __builtin_mul_overflow(size->second, static_cast<std::uint64_t>(count), &bytes))
        throw Refused(place + "has the impossible shape " + text_of(tensor.shape));
    return bytes;
}

StoredTensor stored_tensor(const json& entry, std::string_view data, const std::string& place) {
    StoredTensor tensor{entry.at("dtype").get<std::string>(), shape_of(entry.at("shape"), place), nullptr, 0};
    const auto begin = static_cast<std::uint64_t>(whole(entry.at("data_offsets").at(0), place)),
               end = static_cast<std::uint64_t>(whole(entry.at("data_offsets").at(1), place));
    if (begin > end || end > data.size())
        throw Refused(place + "lies outside the file (" + std::to_string(begin) + " to " + std::to_string(end) +
                      " of " + std::to_string(data.size()) + " bytes)");
    tensor.at = data.data() + begin;
    tensor.bytes = end - begin;
    const std::uint64_t expected = expected_bytes(tensor, place);
    if (expected != tensor.bytes)
        throw Refused(place + "takes " + std::to_string(tensor.bytes) + " bytes, but " + tensor.dtype + " " +
                      text_of(tensor.shape) + " needs " + std::to_string(expected));
    return tensor;
}

void check_layout(const std::map<std::string, StoredTensor>& tensors, std::string_view data, const std::string& place) {
    std::vector<std::pair<const char*, std::uint64_t>> ranges;
    for (const auto& [name, tensor] : tensors) ranges.emplace_back(tensor.at, tensor.bytes);
    std::sort(ranges.begin(), ranges.end());
    const char* end = data.data();
    for (const auto& [at, bytes] : ranges) {
        if (at != end) throw Refused(place + ": its tensors overlap or leave holes");
        end = at + bytes;
    }
    if (end != data.data() + data.size()) throw Refused(place + ": has bytes behind its last tensor");
}

SafeTensorsHeader header_of(const json& root, std::string_view data, const std::string& place) {
    SafeTensorsHeader header;
    for (const auto& [name, entry] : root.items())
        if (name == "__metadata__") header.metadata = entry.get<std::map<std::string, std::string>>();
        else
            header.tensors.emplace(name, stored_tensor(entry, data, place + ": tensor \"" + first_words(name) + "\" "));
    return header;
}

std::uint64_t header_length(std::string_view bytes, const std::string& place) {
    std::uint64_t length = 0;
    if (bytes.size() >= 8) std::memcpy(&length, bytes.data(), 8);  // little-endian, as every machine that hone runs on
    if (bytes.size() < 8 || length > bytes.size() - 8 || length > most_header_bytes)
        throw Refused(place + ": is not a safetensors file, or was cut off (" + std::to_string(bytes.size()) +
                      " bytes)");
    return length;
}

}  // namespace

SafeTensorsHeader read_safetensors(std::string_view bytes, const std::string& place) {
    const std::uint64_t length = header_length(bytes, place);
    const std::string_view data = bytes.substr(8 + length);
    const json root = parse_json(bytes.substr(8, length), place + ", header");
    try {
        SafeTensorsHeader header = header_of(root, data, place);
        check_layout(header.tensors, data, place);
        return header;
    } catch (const json::exception& e) {
        throw Refused(place + ": the header is not what safetensors prescribe: " + first_words(e.what()));
    }
}

SafeTensors::SafeTensors(const std::string& path) : file_(path), header_(read_safetensors(file_.bytes(), path)) {}

const StoredTensor& SafeTensors::tensor(const std::string& name) const {
    const auto found = header_.tensors.find(name);
    if (found == header_.tensors.end()) throw Refused(file_.path() + ": has no tensor \"" + name + "\"");
    return found->second;
}

template <class To> void SafeTensors::read_into(const std::string& name, const Extents& shape, std::span<To> to) const {
    static const std::map<std::string, Encoding> encodings = {
        {"F32", Encoding::f32}, {"F16", Encoding::f16}, {"BF16", Encoding::bf16}};
    const StoredTensor& from = tensor(name);
    const std::string place = file_.path() + ": tensor \"" + name + "\"";
    const auto encoding = encodings.find(from.dtype);
    if (encoding == encodings.end()) throw Refused(place + " is " + from.dtype + "; F32, F16 or BF16 is needed");
    const auto count = static_cast<std::size_t>(element_count(from.shape));
    decode({{encoding->second, from.at, count}, from.shape, {}}, shape, to, place);
}

void SafeTensors::read(const std::string& name, const Extents& shape, std::span<float> to) const {
    read_into(name, shape, to);
}

void SafeTensors::read(const std::string& name, const Extents& shape, std::span<std::uint16_t> bf16_bits) const {
    read_into(name, shape, bf16_bits);
}

void write_safetensors(const std::string& path, const std::vector<TensorToStore>& tensors,
                       const std::map<std::string, std::string>& metadata) {
    nlohmann::ordered_json root = {{"__metadata__", metadata}};
    std::vector<std::string_view> parts = {{}};
    std::uint64_t end = 0;
    for (const TensorToStore& tensor : tensors) {
        const bool wide = std::holds_alternative<std::span<const float>>(tensor.values);
        parts.push_back(std::visit(
            [](auto values) {
                return std::string_view(reinterpret_cast<const char*>(values.data()), values.size_bytes());
            },
            tensor.values));
        const std::uint64_t begin = std::exchange(end, end + parts.back().size());
        root[tensor.name] = {{"dtype", wide ? "F32" : "BF16"}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
    }
    std::string header(8, '\0');
    header += root.dump();
    header.resize((header.size() + 7) / 8 * 8, ' ');  // data aligned to 8 bytes
    const std::uint64_t length = header.size() - 8;
    std::memcpy(header.data(), &length, 8);
    parts[0] = header;
    write_file(path, parts);
}

}  // namespace hone::lm
