#include "verifier_cuda/plan/plan_memory.hpp"
#include <algorithm>
#include <iterator>
#include "verifier_cuda/plan/plan_build.hpp"
#include "verifier_cuda/plan/plan_fields.hpp"

namespace hone::cuda {
namespace {

struct ElementType {
    const char* name;
    std::uint32_t code;  // CUtensorMapDataType
    std::uint64_t bytes;
};
constexpr ElementType element_types[] = {{"u8", 0, 1},  {"i8", 0, 1},   {"bool", 0, 1}, {"u16", 1, 2}, {"u32", 2, 4},
                                         {"i32", 3, 4}, {"u64", 4, 8},  {"i64", 5, 8},  {"f16", 6, 2}, {"f32", 7, 4},
                                         {"f64", 8, 8}, {"bf16", 9, 2}, {"tf32", 11, 4}};

const ElementType& element_type(const Field& map, const std::string& dtype) {
    const std::string& name = map.has("type") ? map.at("type").text() : dtype;
    const auto* found = std::find_if(std::begin(element_types), std::end(element_types),
                                     [&](const auto& type) { return name == type.name; });
    if (found != std::end(element_types)) return *found;
    std::vector<std::string> names;
    for (const auto& type : element_types) names.emplace_back(type.name);
    map.refuse("type must be one of " + listed(names));
}

// The position of a number in a list of those allowed.
std::uint32_t choice(const Field& map, const char* name, std::initializer_list<std::int64_t> allowed) {
    if (!map.has(name)) return 0;
    const std::int64_t value = map.at(name).integer(0, 256);
    const auto* found = std::find(allowed.begin(), allowed.end(), value);
    std::string text;
    for (const std::int64_t number : allowed) text += (text.empty() ? "" : ", ") + std::to_string(number);
    if (found == allowed.end()) map.at(name).refuse("must be one of " + text);
    return static_cast<std::uint32_t>(found - allowed.begin());
}

template <class T> void numbers(const Field& list, std::size_t n, std::int64_t least, std::int64_t most, T* to) {
    if (list.count() != n) list.refuse("must have " + std::to_string(n) + " elements");
    for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<T>(list.element(i).integer(least, most));
}

void check_extent(const Field& field, const TensorMap& map, std::uint64_t element, std::uint64_t bytes) {
    unsigned __int128 end = map.spot.offset + static_cast<unsigned __int128>(map.shape[0]) * element;
    for (std::uint32_t d = 1; d < map.rank; ++d)
        end += static_cast<unsigned __int128>(map.shape[d] - 1) * map.strides[d - 1];
    if (end > bytes) field.refuse("shape and strides reach beyond the tensor's end");
}

void check_box(const Field& field, const TensorMap& map, std::uint64_t element) {
    const std::uint64_t inner = map.box[0] * element;
    if (map.interleave == 0 && inner % 16) field.refuse("box: its first dimension must be a multiple of 16 bytes");
    if (map.swizzle && inner > (16u << map.swizzle))
        field.refuse("box: its first dimension is longer than the swizzle");
}

}  // namespace

PlanMemory::PlanMemory(const Field& root, std::size_t shape, const TaskShapes& task) {
    for (const auto* side : {&task.inputs, &task.outputs})
        for (const TensorSizes& tensor : *side) {
            pieces_.push_back(
                {tensor.name, tensor.dtype, tensor.bytes(shape), tensor.shapes[shape], tensor.constant, tensor.scalar});
            constants_ |= tensor.constant;
        }
    if (!root.has("workspaces")) return;
    const Field workspaces = root.at("workspaces");
    if (workspaces.count()) workspaces.refuse("must have names: workspaces = { partial = 4*N }");
    for (const auto& [name, field] : workspaces.named()) add_workspace(name, field);
}

void PlanMemory::add_workspace(const std::string& name, const Field& field) {
    const bool taken =
        std::any_of(pieces_.begin(), pieces_.end(), [&](const Piece& piece) { return piece.name == name; });
    if (!is_name(name) || taken) field.refuse(taken ? "there is a tensor of that name" : "is no name");
    if (pieces_.size() == max_tensors)
        field.refuse("more than " + std::to_string(max_tensors) + " tensors and workspaces");
    const Piece piece = workspace(name, field);
    if (!piece.early) zeroed_.push_back(count());
    pieces_.push_back(piece);
    workspaces_.begins.push_back(workspaces_.bytes);
    workspaces_.bytes += (piece.bytes + workspace_alignment - 1) / workspace_alignment * workspace_alignment;
    if (workspaces_.bytes > max_workspace_bytes) field.refuse("all workspaces together take more than 1 GiB");
}

PlanMemory::Piece PlanMemory::workspace(const std::string& name, const Field& field) const {
    if (field.is_table()) field.only({"bytes", "shape", "type", "zero"});
    if (!field.has("shape")) {
        if (field.has("type")) field.refuse("type: is that of a shape, which is missing");
        const Field size = field.is_table() ? field.at("bytes") : field;
        return {name, "u8", static_cast<std::uint64_t>(size.integer(1, max_workspace_bytes)), {}, !field.flag("zero")};
    }
    if (field.has("bytes")) field.refuse("bytes: follow from shape and type");
    const ElementType& type = element_type(field, "f32");
    Piece piece{name, type.name, type.bytes, std::vector<std::int64_t>(field.at("shape").count()), !field.flag("zero")};
    numbers(field.at("shape"), piece.shape.size(), 1, std::int64_t{max_workspace_bytes}, piece.shape.data());
    if (piece.shape.empty() || piece.shape.size() > max_rank) field.refuse("shape: must have 1 to 5 dimensions");
    for (const std::int64_t n : piece.shape) {
        piece.bytes *= static_cast<std::uint64_t>(n);
        if (piece.bytes > max_workspace_bytes) field.refuse("shape: takes more than 1 GiB");
    }
    return piece;
}

std::uint32_t PlanMemory::find(const Field& name) const {
    const std::string& wanted = name.text();
    const auto found =
        std::find_if(pieces_.begin(), pieces_.end(), [&](const Piece& piece) { return piece.name == wanted; });
    if (found != pieces_.end() && only_early_ && !found->early)
        name.refuse("\"" + wanted +
                    "\" cannot be prepacked: only constants and workspaces are there before a call, and none that is "
                    "zeroed in it");
    if (found != pieces_.end() && found->scalar)
        name.refuse("\"" + wanted + "\" is a scalar: it is an argument by its name alone, and has no address");
    if (found != pieces_.end()) return static_cast<std::uint32_t>(found - pieces_.begin());
    std::vector<std::string> names;
    for (const Piece& piece : pieces_) names.push_back(piece.name);
    name.refuse("\"" + wanted.substr(0, 40) + "\" is no input, output or workspace; there are: " + listed(names));
}

std::optional<std::uint32_t> PlanMemory::scalar(const Field& name) const {
    for (std::uint32_t i = 0; i < count() && !only_early_; ++i)
        if (pieces_[i].scalar && pieces_[i].name == name.text()) return i;
    return std::nullopt;
}

Spot PlanMemory::spot(const Field& pair) const {
    if (pair.count() != 2) pair.refuse("must be a name, or {name, offset in bytes}");
    pair.only({});
    const std::uint32_t tensor = find(pair.element(0));
    return {tensor,
            static_cast<std::uint64_t>(pair.element(1).integer(0, static_cast<std::int64_t>(pieces_[tensor].bytes)))};
}

TensorMap read_map(const Field& argument, const PlanMemory& memory) {
    const Field field = argument.in("tensor_map");
    field.only({"kind", "tensor", "offset", "type", "shape", "strides", "box", "element_strides", "interleave",
                "swizzle", "l2", "fill"});
    TensorMap map;
    map.spot.tensor = memory.find(field.at("tensor"));
    const PlanMemory::Piece& tensor = memory[map.spot.tensor];
    map.spot.offset =
        static_cast<std::uint64_t>(field.integer("offset", 0, 0, static_cast<std::int64_t>(tensor.bytes)));
    if (map.spot.offset % 16) field.refuse("offset: must be a multiple of 16");
    const ElementType& type = element_type(field, tensor.dtype);
    map.type = type.code;
    const std::size_t rank = field.at("shape").count();
    if (rank < 1 || rank > max_rank) field.refuse("shape: must have 1 to 5 dimensions, the innermost first");
    map.rank = static_cast<std::uint32_t>(rank);
    numbers(field.at("shape"), rank, 1, std::int64_t{1} << 32, map.shape);
    numbers(field.at("box"), rank, 1, 256, map.box);
    std::fill_n(map.element_strides, rank, 1);
    if (field.has("element_strides")) numbers(field.at("element_strides"), rank, 1, 8, map.element_strides);
    std::uint64_t dense = type.bytes;
    for (std::size_t d = 0; d + 1 < rank; ++d) map.strides[d] = dense *= map.shape[d];
    if (field.has("strides")) numbers(field.at("strides"), rank - 1, 0, (std::int64_t{1} << 40) - 16, map.strides);
    for (std::size_t d = 0; d + 1 < rank; ++d)
        if (map.strides[d] % 16) field.refuse("strides: must be multiples of 16 bytes");
    map.swizzle = choice(field, "swizzle", {0, 32, 64, 128});
    map.interleave = choice(field, "interleave", {0, 16, 32});
    map.l2 = choice(field, "l2", {0, 64, 128, 256});
    const std::string fill = field.has("fill") ? field.at("fill").text() : "zero";
    if (fill != "zero" && fill != "nan") field.refuse("fill: must be \"zero\" or \"nan\"");
    map.fill = fill == "nan";
    check_extent(field, map, type.bytes, tensor.bytes);
    check_box(field, map, type.bytes);
    return map;
}

}  // namespace hone::cuda
