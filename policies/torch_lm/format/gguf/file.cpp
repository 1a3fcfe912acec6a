#include "torch_lm/format/gguf/file.hpp"
#include <algorithm>
#include <bit>
#include <vector>
#include "hone/plugin.hpp"
#include "torch_lm/text/utf8.hpp"

namespace hone::lm::gguf {
namespace {

constexpr std::uint32_t most_dimensions = 4;      // by the format
constexpr std::size_t most_name_bytes = 64,       // by the format
    least_record = 8 + 1 + 4 + 8 + 4 + 8,         // bytes of a tensor's record
    least_key = 8 + 4 + 1;                        // of a key with its value
constexpr std::int64_t most_alignment = 1 << 20;  // 32 in practice

struct NamedType {
    std::uint32_t number;
    const char* name;
};
struct KnownType {
    NamedType type;
    Encoding encoding;
};
constexpr KnownType known_types[] = {{{0, "F32"}, Encoding::f32},    {{1, "F16"}, Encoding::f16},
                                     {{30, "BF16"}, Encoding::bf16}, {{8, "Q8_0"}, Encoding::q8_0},
                                     {{2, "Q4_0"}, Encoding::q4_0},  {{3, "Q4_1"}, Encoding::q4_1},
                                     {{6, "Q5_0"}, Encoding::q5_0},  {{7, "Q5_1"}, Encoding::q5_1},
                                     {{12, "Q4_K"}, Encoding::q4_k}, {{14, "Q6_K"}, Encoding::q6_k}};
constexpr NamedType other_types[] = {{9, "Q8_1"},     {10, "Q2_K"},   {11, "Q3_K"},    {13, "Q5_K"},  {15, "Q8_K"},
                                     {16, "IQ2_XXS"}, {17, "IQ2_XS"}, {18, "IQ3_XXS"}, {19, "IQ1_S"}, {20, "IQ4_NL"},
                                     {21, "IQ3_S"},   {22, "IQ2_S"},  {23, "IQ4_XS"},  {24, "I8"},    {25, "I16"},
                                     {26, "I32"},     {27, "I64"},    {28, "F64"},     {29, "IQ1_M"}, {34, "TQ1_0"},
                                     {35, "TQ2_0"},   {39, "MXFP4"}};

struct Record {  // of a tensor, as it stands in the file
    std::string name, place;
    Extents shape;
    const KnownType* type;
    std::uint64_t offset, bytes;
};

const KnownType& type_of(std::uint32_t number, const std::string& place) {
    for (const KnownType& known : known_types)
        if (known.type.number == number) return known;
    std::string text = "the unknown type " + std::to_string(number);
    for (const NamedType& other : other_types)
        if (other.number == number) text = std::string("the type ") + other.name;
    throw Refused(place + " has " + text +
                  ", which is not supported (supported: F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q4_K, Q6_K)");
}

std::string read_name(Cursor& cursor) {
    const std::string_view name = cursor.text("the name of a tensor");
    if (name.empty() || name.size() > most_name_bytes)
        throw Refused(cursor.place() + ": the name of a tensor has " + std::to_string(name.size()) +
                      " bytes; the format allows 1 to " + std::to_string(most_name_bytes));
    return repair_utf8(name);
}

// The file's first extent is that along which numbers lie side by side: PyTorch's last.
Extents read_shape(Cursor& cursor, const std::string& place) {
    const auto dimensions = cursor.number<std::uint32_t>("the number of dimensions");
    if (dimensions < 1 || dimensions > most_dimensions)
        throw Refused(place + " has " + std::to_string(dimensions) + " dimensions; the format allows 1 to 4");
    Extents shape(dimensions);
    for (auto extent = shape.rbegin(); extent != shape.rend(); ++extent)
        *extent = static_cast<std::int64_t>(cursor.number<std::uint64_t>("an extent"));
    if (element_count(shape) < 1) throw Refused(place + " has the impossible shape " + text_of(shape));
    return shape;
}

std::uint64_t bytes_of(const Record& tensor) {
    const BlockSize block = block_size(tensor.type->encoding);
    const auto row = static_cast<std::uint64_t>(tensor.shape.back()),
               blocks = static_cast<std::uint64_t>(element_count(tensor.shape)) / block.numbers;
    if (row % block.numbers != 0)
        throw Refused(tensor.place + " has rows of " + std::to_string(row) + " numbers; " + tensor.type->type.name +
                      " has blocks of " + std::to_string(block.numbers));
    std::uint64_t bytes = 0;
    if (__builtin_mul_overflow(blocks, block.bytes, &bytes))
        throw Refused(tensor.place + " has the impossible shape " + text_of(tensor.shape));
    return bytes;
}

Record read_record(Cursor& cursor) {
    Record tensor;
    tensor.name = read_name(cursor);
    tensor.place = cursor.place() + ": tensor \"" + tensor.name + "\"";
    tensor.shape = read_shape(cursor, tensor.place);
    tensor.type = &type_of(cursor.number<std::uint32_t>("the type of a tensor"), tensor.place);
    tensor.offset = cursor.number<std::uint64_t>("the offset of a tensor");
    tensor.bytes = bytes_of(tensor);
    return tensor;
}

void check_place(const Record& tensor, std::uint64_t data_bytes, std::uint64_t alignment) {
    if (tensor.offset % alignment != 0)
        throw Refused(tensor.place + " begins at byte " + std::to_string(tensor.offset) +
                      " of the data, which is no multiple of the alignment " + std::to_string(alignment));
    if (tensor.offset > data_bytes || tensor.bytes > data_bytes - tensor.offset)
        throw Refused(tensor.place + " lies outside the file (" + std::to_string(tensor.bytes) + " bytes from " +
                      std::to_string(tensor.offset) + " on, of " + std::to_string(data_bytes) + ")");
}

void check_overlap(std::vector<const Record*> tensors) {
    std::sort(tensors.begin(), tensors.end(), [](auto a, auto b) { return a->offset < b->offset; });
    for (std::size_t i = 1; i < tensors.size(); ++i)
        if (tensors[i]->offset < tensors[i - 1]->offset + tensors[i - 1]->bytes)
            throw Refused(tensors[i]->place + " overlaps \"" + tensors[i - 1]->name + "\"");
}

std::uint64_t alignment_of(const Metadata& metadata) {
    const auto alignment = static_cast<std::uint64_t>(metadata.whole("general.alignment", 32, 1, most_alignment));
    if (!std::has_single_bit(alignment))
        throw Refused(metadata.place() + ": metadata \"general.alignment\" is " + std::to_string(alignment) +
                      ", not a power of two");
    return alignment;
}

void check_version(Cursor& cursor, std::size_t bytes) {
    if (bytes < 8 || cursor.take(4, "the magic") != "GGUF")
        throw Refused(cursor.place() + ": is not a GGUF file, or was cut off (" + std::to_string(bytes) + " bytes)");
    const auto version = cursor.number<std::uint32_t>("the version");
    if (version != 0 && (version & 0xffff) == 0)
        throw Refused(cursor.place() + ": is a big-endian GGUF file, which is not supported");
    if (version != 2 && version != 3)
        throw Refused(cursor.place() + ": is of GGUF version " + std::to_string(version) +
                      "; versions 2 and 3 are supported");
}

}  // namespace

File read_file(std::string_view bytes, const std::string& place) {
    Cursor cursor(bytes, place);
    check_version(cursor, bytes.size());
    const std::uint64_t tensor_count = cursor.count("the number of tensors", least_record),
                        key_count = cursor.count("the number of keys", least_key);
    File file{Metadata(cursor, key_count), {}};
    std::vector<Record> records;
    for (std::uint64_t i = 0; i < tensor_count; ++i) records.push_back(read_record(cursor));
    const std::uint64_t alignment = alignment_of(file.metadata),
                        start = (cursor.position() + alignment - 1) / alignment * alignment,
                        data_bytes = bytes.size() - std::min<std::uint64_t>(start, bytes.size());
    std::vector<const Record*> sorted;
    for (const Record& tensor : records) {
        check_place(tensor, data_bytes, alignment);
        const auto count = static_cast<std::size_t>(element_count(tensor.shape));
        const EncodedNumbers numbers{tensor.type->encoding, bytes.data() + start + tensor.offset, count};
        if (!file.tensors.emplace(tensor.name, EncodedTensor{numbers, tensor.shape, {}}).second)
            throw Refused(tensor.place + " is there twice");
        sorted.push_back(&tensor);
    }
    check_overlap(std::move(sorted));
    return file;
}

}  // namespace hone::lm::gguf
