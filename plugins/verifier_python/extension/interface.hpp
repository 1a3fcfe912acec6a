// What a program of load_inline includes instead of torch's C++: verifier.python puts the files of this folder together
// as torch/extension.h. They compile in a second where torch's own take half a minute. A tensor is held by Python under
// a number; C++ knows its address and shape (View) and asks Python for everything else by name. runner/extension.py is
// the other side.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>
#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace hone_extension {

enum Kind : std::int64_t { nothing, integer, real, truth, text, tensor, integers, list, dtype, device };

struct View {
    std::int64_t id;
    void* data;
    std::int64_t dtype, device, rank;     // dtype: a ScalarType; device: -1 is the host, else a GPU's number
    std::int64_t sizes[12], strides[12];  // strides in elements
};

struct Value {
    std::int64_t kind = nothing, count = 0;
    union {
        std::int64_t integer = 0;
        double real;
        const char* text;
        const View* tensor;
        const std::int64_t* integers;
        const Value* list;
    };
};

// What Python offers. call: of torch or of the first tensor, by name; not 0: it failed, and result is the text.
struct Python {
    std::int64_t (*call)(const char* name, const Value* arguments, std::int64_t count, Value* result);
    void (*drop)(std::int64_t id);
};

inline Python python{};

template <class... Words> [[noreturn]] void fail(const Words&... words) {
    std::ostringstream text;
    (text << ... << words);
    throw std::runtime_error(text.str().empty() ? "a check of the extension failed" : text.str());
}

}  // namespace hone_extension
