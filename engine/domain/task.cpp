#include "domain/task.hpp"
#include <algorithm>
#include <charconv>
#include <cmath>
#include "base/error.hpp"
#include "base/options.hpp"
#include "domain/document_json.hpp"
#include "hone/abi.h"

namespace hone {

namespace {

struct Dtype {
    const char* name;
    int code;
    std::size_t bytes;
};
constexpr Dtype dtypes[] = {{"f64", HONE_F64, 8},   {"f32", HONE_F32, 4}, {"f16", HONE_F16, 2},
                            {"bf16", HONE_BF16, 2}, {"i64", HONE_I64, 8}, {"i32", HONE_I32, 4},
                            {"i8", HONE_I8, 1},     {"u8", HONE_U8, 1},   {"bool", HONE_BOOL, 1}};

// "index(V)" with V = 512 in the shape becomes "index(512)"; "index(V,-1)" likewise
std::string fill_law(const std::string& law, const Shape& shape) {
    const std::size_t open = law.find('('), end = law.find_first_of(",)");
    if (open == std::string::npos || end == std::string::npos || end < open) return law;
    const auto size = shape.find(law.substr(open + 1, end - open - 1));
    return size == shape.end() ? law : law.substr(0, open + 1) + std::to_string(size->second) + law.substr(end);
}

int number_of_input(const Task& task, const std::optional<std::string>& name) {
    for (std::size_t i = 0; name && i < task.inputs.size(); ++i)
        if (task.inputs[i].name == *name) return static_cast<int>(i);
    return -1;
}

bool parse_float(std::string_view text, float& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::int64_t TensorSpec::elements() const {
    std::int64_t product = 1;
    for (const std::int64_t n : shape) product *= n;
    return product;
}

std::size_t TensorSpec::bytes() const { return static_cast<std::size_t>(elements()) * dtype_bytes(dtype); }

std::vector<TensorSpec> tensors(const Task& task, const char* side, const Shape& shape) {
    std::vector<TensorSpec> result;
    for (const TaskTensor& tensor : std::string_view(side) == "inputs" ? task.inputs : task.outputs) {
        TensorSpec spec{tensor.name,
                        parse_dtype(tensor.dtype),
                        {},
                        fill_law(tensor.law.value_or(""), shape),
                        tensor.constant.value_or(false),
                        tensor.strict.value_or(false) || tensor.scalar.value_or(false),
                        tensor.scalar.value_or(false),
                        number_of_input(task, tensor.starts_as)};
        for (const Extent& n : tensor.shape) spec.shape.push_back(n.at(shape));
        result.push_back(std::move(spec));
    }
    return result;
}

std::vector<std::int64_t> sizes(const Task& task, const Shape& shape) {
    std::vector<std::int64_t> result;
    for (const std::string& name : task.sizes) result.push_back(shape.at(name));
    return result;
}

bool must_repeat(const Task& task) { return task.tolerance.deterministic.value_or(true); }

bool leaves_out(const Task& task, const std::string& kind) {
    if (!task.special) return false;
    const std::vector<std::string>& list = task.special->without;
    return std::find(list.begin(), list.end(), kind) != list.end();
}

std::optional<double> sum_terms(const Task& task, const Shape& shape) {
    if (!task.terms) return std::nullopt;
    double product = 1;
    for (const Extent& factor : *task.terms) product *= static_cast<double>(factor.at(shape));
    return std::max(1.0, product);
}

int parse_dtype(const std::string& name) {
    std::vector<std::string> names;
    for (const Dtype& dtype : dtypes) {
        if (name == dtype.name) return dtype.code;
        names.push_back(dtype.name);
    }
    throw Error(Blame::input, "dtype", "no dtype \"" + name + "\"" + suggestion(name, names));
}

std::size_t dtype_bytes(int code) {
    return std::find_if(std::begin(dtypes), std::end(dtypes), [&](const Dtype& dtype) { return dtype.code == code; })
        ->bytes;
}

namespace {

constexpr const char* laws_page = "docs/tasks.md, \"Laws of inputs\", lists them";

// Scale 0 would be a constant, which few mean who write uniform(0,1).
void check_scale(const hone_law& law, const std::string& text) {
    if (law.kind == HONE_LAW_INDEX || law.scale > 0) return;
    throw Error(Blame::input, "law", "\"" + text + "\" has no scale above 0",
                law.kind == HONE_LAW_UNIFORM
                    ? "uniform(scale,shift) is [shift - scale, shift + scale): write uniform(0.5,0.5) for [0, 1), "
                      "uniform(1) for [-1, 1)"
                    : "the two numbers are (scale,shift): a value is scale * base + shift, with base of mean 0");
}

}  // namespace

constexpr float most_indices = 1 << 24;  // hone_value makes floats, which are whole numbers up to there

hone_law parse_law(const std::string& text) {
    // in the order of HONE_LAW_*; "value(x)", which no call changes, is a uniform one without width
    static const std::vector<std::string> names = {"normal", "uniform", "integer", "index", "value"};
    const std::size_t open = text.find('(');
    const std::string name = text.substr(0, open);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
        throw Error(Blame::input, "law", "no law \"" + name + "\"" + suggestion(name, names), laws_page);
    hone_law law{static_cast<std::int32_t>(found - names.begin()), 1, 0};
    bool fine = open != std::string::npos || law.kind < HONE_LAW_INDEX;
    if (open != std::string::npos && text.back() == ')') {
        const std::string_view inside = std::string_view(text).substr(open + 1, text.size() - open - 2);
        const std::size_t comma = inside.find(',');
        fine = parse_float(inside.substr(0, comma), law.scale);
        if (comma != std::string_view::npos) fine = fine && parse_float(inside.substr(comma + 1), law.shift);
    } else if (open != std::string::npos) {
        fine = false;
    }
    if (law.kind == HONE_LAW_INDEX) fine = fine && law.scale >= 1 && law.shift == std::round(law.shift);
    if (name == "value") {
        fine = fine && law.shift == 0 && std::isfinite(law.scale);
        law = {HONE_LAW_UNIFORM, 0, law.scale};
    }
    const bool far = law.scale > most_indices || law.shift < -most_indices || law.shift + law.scale > most_indices;
    if (fine && law.kind == HONE_LAW_INDEX && far)
        throw Error(Blame::input, "law",
                    "\"" + text + "\" has more than 2^24 numbers, or some that are not between -2^24 and 2^24",
                    laws_page);
    if (!fine)
        throw Error(
            Blame::input, "law", "\"" + text + "\" cannot be read",
            std::string("write normal(scale), uniform(scale,shift), integer, index(n), index(n,first) or value(x); ") +
                laws_page);
    if (name != "value") check_scale(law, text);
    return law;
}

Json to_json(const Task& task) { return document_to_json(task); }

Task task_from_json(const Json& json) { return read_record<Task>(json, "task"); }

}  // namespace hone
