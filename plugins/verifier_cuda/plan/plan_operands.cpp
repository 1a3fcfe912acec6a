#include "verifier_cuda/plan/plan_operands.hpp"
#include <algorithm>
#include <iterator>
#include "hone/call.h"

namespace hone::cuda {
namespace {

struct FloatType {
    const char* name;
    std::int32_t dtype;
    std::uint64_t bytes;
};
constexpr FloatType float_types[] = {
    {"f64", HONE_F64, 8}, {"f32", HONE_F32, 4}, {"f16", HONE_F16, 2}, {"bf16", HONE_BF16, 2}};
constexpr std::int64_t most_elements = std::int64_t{1} << 40;

const FloatType& float_type(const Field& field, const PlanMemory::Piece& piece) {
    const auto* found = std::find_if(std::begin(float_types), std::end(float_types),
                                     [&](const FloatType& type) { return piece.dtype == type.name; });
    if (found == std::end(float_types))
        field.refuse("\"" + piece.name + "\" has elements of type " + piece.dtype +
                     "; operators take f64, f32, f16 and bf16");
    return *found;
}

Shape read_shape(const Field& field, const PlanMemory::Piece& piece) {
    if (!field.has("shape")) {
        if (piece.shape.empty())
            field.refuse("\"" + piece.name + "\" has no shape: declare it as workspaces = { " + piece.name +
                         " = { shape = { M, N }, type = \"f32\" } }");
        return piece.shape;
    }
    const Field list = field.at("shape");
    list.only({});
    Shape shape(list.count());
    std::int64_t elements = 1;  // of all dimensions together: their strides are products of them
    for (std::size_t i = 0; i < shape.size(); ++i) {
        shape[i] = list.element(i).integer(1, most_elements);
        if (shape[i] > most_elements / elements) field.refuse("reaches beyond the end of \"" + piece.name + "\"");
        elements *= shape[i];
    }
    return shape;
}

void row_major(Operand& operand) {
    std::int64_t step = 1;
    for (std::uint32_t d = operand.rank; d-- > 0; step *= operand.shape[d]) operand.strides[d] = step;
}

void read_strides(const Field& list, Operand& operand) {
    list.only({});
    if (list.count() != operand.rank) list.refuse("must have " + std::to_string(operand.rank) + " elements");
    for (std::uint32_t d = 0; d < operand.rank; ++d) operand.strides[d] = list.element(d).integer(0, most_elements);
}

void check_extent(const Field& field, Operand& operand, const PlanMemory::Piece& piece, std::uint64_t element) {
    unsigned __int128 last = 0;
    for (std::uint32_t d = 0; d < operand.rank; ++d)
        last +=
            static_cast<unsigned __int128>(operand.shape[d] - 1) * static_cast<unsigned __int128>(operand.strides[d]);
    if (operand.spot.offset + (last + 1) * element > piece.bytes)
        field.refuse("reaches beyond the end of \"" + piece.name + "\"");
    operand.bytes = static_cast<std::uint64_t>((last + 1) * element);
}

// Of the dimensions in this order, outermost first, whether they lie densely.
template <class Order> bool is_dense(const Operand& operand, Order&& dimension) {
    std::int64_t step = 1;
    for (std::uint32_t i = operand.rank; i-- > 0;) {
        const std::uint32_t d = dimension(i);
        if (operand.shape[d] != 1 && operand.strides[d] != step) return false;
        step *= operand.shape[d];
    }
    return true;
}

}  // namespace

Operand read_operand(const Field& field, const PlanMemory& memory, std::uint32_t tensor) {
    if (field.is_table()) {
        if (field.count() != 1) field.refuse("must be a name, or { name, shape = { ... } }");
        field.only({"shape", "strides", "offset"});
    }
    const PlanMemory::Piece& piece = memory[tensor];
    const FloatType& type = float_type(field, piece);
    Operand operand{{tensor, 0}, 0, type.dtype};
    operand.spot.offset =
        static_cast<std::uint64_t>(field.integer("offset", 0, 0, static_cast<std::int64_t>(piece.bytes)));
    if (operand.spot.offset % type.bytes)
        field.refuse("offset: must be a multiple of " + std::to_string(type.bytes) + " bytes");
    const Shape shape = read_shape(field, piece);
    if (shape.empty() || shape.size() > max_rank) field.refuse("shape: must have 1 to 5 dimensions");
    operand.rank = static_cast<std::uint32_t>(shape.size());
    std::copy(shape.begin(), shape.end(), operand.shape);
    row_major(operand);
    if (field.has("strides")) read_strides(field.at("strides"), operand);
    check_extent(field, operand, piece, type.bytes);
    return operand;
}

Shape shape_of(const Operand& operand) { return {operand.shape, operand.shape + operand.rank}; }

std::string printed(const Shape& shape) {
    std::vector<std::string> numbers;
    for (const std::int64_t n : shape) numbers.push_back(std::to_string(n));
    return "[" + listed(numbers) + "]";
}

bool is_row_major(const Operand& operand) {
    return is_dense(operand, [](std::uint32_t i) { return i; });
}

bool is_channels_last(const Operand& operand) {
    return is_dense(operand, [&](std::uint32_t i) { return i == 0 ? 0 : i + 1 == operand.rank ? 1 : i + 1; });
}

bool overlap(const Operand& a, const Operand& b) {
    return a.spot.tensor == b.spot.tensor && a.spot.offset < b.spot.offset + b.bytes &&
           b.spot.offset < a.spot.offset + a.bytes;
}

}  // namespace hone::cuda
