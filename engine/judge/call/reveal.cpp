#include "judge/call/reveal.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numeric>
#include "base/error.hpp"
#include "base/paths.hpp"
#include "judge/correctness/numbers.hpp"

namespace hone {
namespace {

constexpr std::size_t most_elements = 10;

const char* descriptor(int dtype) {
    switch (dtype) {
        case HONE_F64:
            return "<f8";
        case HONE_F16:
            return "<f2";
        case HONE_I64:
            return "<i8";
        case HONE_I32:
            return "<i4";
        case HONE_I8:
            return "|i1";
        case HONE_U8:
            return "|u1";
        case HONE_BOOL:
            return "|b1";
        default:
            return "<f4";
    }
}

std::string floats(const std::vector<double>& values) {
    const std::vector<float> narrow(values.begin(), values.end());
    std::string bytes(narrow.size() * sizeof(float), '\0');
    std::memcpy(bytes.data(), narrow.data(), bytes.size());
    return bytes;
}

std::string bytes_of(const std::vector<double>& values) {
    std::string bytes(values.size() * sizeof(double), '\0');
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

std::string output_bytes(Memory& memory, const Layout& layout, std::size_t output) {
    std::string bytes(layout.outputs()[output].bytes(), '\0');
    memory.read(layout.call().out[output].at, bytes.data(), bytes.size());
    return bytes;
}

void write_tensors(const fs::path& folder, Memory& memory, const Layout& layout, const InputSet& set) {
    fs::create_directories(folder);
    const auto write = [&](const std::string& name, const TensorSpec& spec, const std::string& bytes) {
        write_file(folder / (name + "-" + spec.name + ".npy"), npy(spec, bytes));
    };
    for (std::size_t i = 0; i < layout.inputs().size(); ++i) write("input", layout.inputs()[i], set.fetch_input(i));
    for (std::size_t i = 0; i < layout.outputs().size(); ++i) {
        write("output", layout.outputs()[i], output_bytes(memory, layout, i));
        const FetchedTruth truth = set.fetch_truth(i);
        TensorSpec exact = truth.spec;
        exact.dtype = HONE_F64;
        write("expected", exact, bytes_of(truth.values));
    }
}

std::vector<std::size_t> worst(const FetchedTruth& truth, const std::vector<double>& got) {
    std::vector<std::size_t> order(got.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto error = [&](std::size_t i) {
        const double d = std::fabs(got[i] - truth.values[i]) / truth.scale_of(i);
        return std::isnan(d) ? 0 : d;
    };
    const std::size_t n = std::min(most_elements, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n), order.end(),
                      [&](std::size_t a, std::size_t b) { return error(a) > error(b); });
    order.resize(n);
    return order;
}

std::vector<std::size_t> wrong_ones(const FetchedTruth& truth, const std::vector<double>& got) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < got.size() && found.size() < most_elements; ++i)
        if (truth.look_at(i, got[i]).fault != HONE_FINE) found.push_back(i);
    return found.empty() ? worst(truth, got) : found;
}

// JSON has no infinities.
Json number(double value) {
    if (std::isfinite(value)) return value;
    return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

Json elements(const FetchedTruth& truth, const std::vector<double>& got) {
    Json list = Json::array();
    for (const std::size_t i : wrong_ones(truth, got)) {
        std::vector<std::int64_t> index(truth.spec.shape.size());
        auto rest = static_cast<std::int64_t>(i);
        for (std::size_t d = index.size(); d-- > 0; rest /= truth.spec.shape[d]) index[d] = rest % truth.spec.shape[d];
        list.push_back({{"index", index}, {"got", number(got[i])}, {"expected", number(truth.values[i])}});
    }
    return list;
}

Json sizes_of(const Revealing& revealing, const hone_call& call) {
    Json sizes = Json::object();
    for (std::size_t i = 0; i < revealing.sizes.size() && i < call.n_sizes; ++i)
        sizes[revealing.sizes[i]] = call.sizes[i];
    return sizes;
}

}  // namespace

Json reveal(const Revealing& revealing, Memory& memory, const Layout& layout, const InputSet& set,
            const std::string& tensor) {
    Json told = {{"sizes", sizes_of(revealing, layout.call())}};
    for (std::size_t i = 0; i < layout.outputs().size(); ++i) {
        const TensorSpec& spec = layout.outputs()[i];
        if (spec.name != tensor) continue;
        const std::string bytes = output_bytes(memory, layout, i);
        told["elements"] =
            elements(set.fetch_truth(i), widened(spec.dtype, bytes.data(), static_cast<std::size_t>(spec.elements())));
    }
    try {
        write_tensors(revealing.folder, memory, layout, set);
        told["folder"] = revealing.folder;
    } catch (const Error& e) {  // a full disk costs no verdict
        std::fprintf(stderr, "hone: the failing call is not written: %s\n", e.what());
    } catch (const fs::filesystem_error& e) {
        std::fprintf(stderr, "hone: the failing call is not written: %s\n", e.what());
    }
    return told;
}

std::string npy(const TensorSpec& spec, const std::string& bytes) {
    std::string shape;
    for (const std::int64_t n : spec.shape) shape += std::to_string(n) + ",";
    std::string header =
        std::string("{'descr': '") + descriptor(spec.dtype) + "', 'fortran_order': False, 'shape': (" + shape + "), }";
    constexpr std::size_t before = 10, align = 64;  // magic, version and length; of the data
    header.resize((before + header.size() + 1 + align - 1) / align * align - before - 1, ' ');
    header += '\n';
    std::string file("\x93NUMPY\x01\x00", 8);
    file += static_cast<char>(header.size() & 0xff);
    file += static_cast<char>(header.size() >> 8);
    const bool widens = spec.dtype == HONE_BF16;
    return file + header +
           (widens ? floats(widened(spec.dtype, bytes.data(), static_cast<std::size_t>(spec.elements()))) : bytes);
}

}  // namespace hone
