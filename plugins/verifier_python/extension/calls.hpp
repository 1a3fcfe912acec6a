// What C++ asks of Python.
namespace hone_extension {

// The arguments that torch takes by keyword alone.
template <class T> inline constexpr const char* keyword = nullptr;
template <> inline constexpr const char* keyword<at::ScalarType> = "dtype";
template <> inline constexpr const char* keyword<at::Device> = "device";
template <> inline constexpr const char* keyword<at::DeviceType> = "device";
template <class T> inline constexpr const char* keyword<std::optional<T>> = keyword<T>;

template <class T> void put(std::vector<Object>& words, Object& options, const T& argument) {
    Object word = of(argument);
    if constexpr (keyword<T> == nullptr) return words.push_back(std::move(word));
    if (word.get() == &_Py_NoneStruct) return;
    if (!options) options = checked(PyDict_New());
    PyDict_SetItemString(options.get(), keyword<T>, word.get());
}

// A function of torch, or a method of its tensors, by name.
template <class T = at::Tensor, class... A> T ask(const char* name, const A&... arguments) {
    const Locked lock;
    std::vector<Object> words;
    Object options;
    (put(words, options, arguments), ...);
    const Object function = found(text(name)), all = filled(PyTuple_New, PyTuple_SetItem, words);
    return taken<T>(checked(PyObject_Call(function.get(), all.get(), options.get())).get());
}

}  // namespace hone_extension

namespace at {

#define HONE_METHOD(name)                                               \
    template <class... A> Tensor Tensor::name(const A&... rest) const { \
        return hone_extension::ask("." #name, *this, rest...);          \
    }
#define HONE_METHOD_OF_SIZES(name) \
    inline Tensor Tensor::name(IntArrayRef sizes) const { return hone_extension::ask("." #name, *this, sizes); }
HONE_METHODS(HONE_METHOD, HONE_METHOD_OF_SIZES)
#undef HONE_METHOD
#undef HONE_METHOD_OF_SIZES

template <class T> T Tensor::item() const { return hone_extension::ask<T>(".item", *this); }

#define HONE_OPERATOR(sign, name)                                                       \
    inline Tensor operator sign(const Tensor& a, const Tensor& b) { return a.name(b); } \
    inline Tensor operator sign(const Tensor& a, double b) { return a.name(b); }
HONE_OPERATOR(+, add)
HONE_OPERATOR(-, sub)
HONE_OPERATOR(*, mul)
HONE_OPERATOR(/, div)
#undef HONE_OPERATOR

#define HONE_FACTORY(name)                                                             \
    inline Tensor name(IntArrayRef sizes, const TensorOptions& options = {}) {         \
        return hone_extension::ask(#name, sizes, options.type, options.place);         \
    }                                                                                  \
    inline Tensor name##_like(const Tensor& like, const TensorOptions& options = {}) { \
        return hone_extension::ask(#name "_like", like, options.type, options.place);  \
    }
HONE_FACTORY(empty)
HONE_FACTORY(zeros)
HONE_FACTORY(ones)
#undef HONE_FACTORY
template <class T> Tensor full(IntArrayRef sizes, T value, const TensorOptions& options = {}) {
    return hone_extension::ask("full", sizes, value, options.type, options.place);
}
inline Tensor arange(std::int64_t end, const TensorOptions& options = {}) {
    return hone_extension::ask("arange", end, options.type, options.place);
}

#define HONE_FUNCTIONS(one)                                                                                         \
    one(matmul) one(mm) one(bmm) one(addmm) one(linear) one(relu) one(sigmoid) one(tanh) one(gelu) one(softmax)     \
        one(exp) one(log) one(sqrt) one(clamp) one(sum) one(mean) one(cumsum) one(add) one(mul) one(sub) one(div)   \
            one(conv1d) one(conv2d) one(conv3d) one(conv_transpose1d) one(conv_transpose2d) one(conv_transpose3d)   \
                one(max_pool2d) one(avg_pool2d) one(batch_norm) one(layer_norm) one(group_norm) one(cat) one(stack) \
                    one(amax) one(amin) one(where) one(argmin) one(argmax) one(abs) one(pow) one(norm)
#define HONE_FUNCTION(name) \
    template <class... A> Tensor name(const A&... arguments) { return hone_extension::ask(#name, arguments...); }
HONE_FUNCTIONS(HONE_FUNCTION)
#undef HONE_FUNCTION

}  // namespace at
