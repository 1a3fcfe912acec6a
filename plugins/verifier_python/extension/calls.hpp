// What C++ says to Python and back.
namespace hone_extension {

template <class T> struct is_vector : std::false_type {};
template <class T> struct is_vector<std::vector<T>> : std::true_type {};
template <class T> struct is_optional : std::false_type {};
template <class T> struct is_optional<std::optional<T>> : std::true_type {};

// Values of a call, and what their pointers lead to.
class Words {
public:
    template <class T> Value of(const T& word) {
        Value value;
        if constexpr (std::is_same_v<T, bool>) value.kind = truth, value.integer = word;
        else if constexpr (std::is_same_v<T, at::ScalarType>)
            value.kind = dtype, value.integer = static_cast<std::int64_t>(word);
        else if constexpr (std::is_integral_v<T>) value.kind = integer, value.integer = static_cast<std::int64_t>(word);
        else if constexpr (std::is_floating_point_v<T>) value.kind = real, value.real = static_cast<double>(word);
        else if constexpr (std::is_same_v<T, at::Tensor>) {
            if (word.defined()) value.kind = tensor, value.tensor = word.view_of();
        } else if constexpr (std::is_same_v<T, at::Device>) value.kind = device, value.integer = word.index();
        else if constexpr (std::is_same_v<T, at::DeviceType>) return of(at::Device(word));
        else if constexpr (std::is_same_v<T, at::IntArrayRef>)
            value.kind = integers, value.count = static_cast<std::int64_t>(word.size()), value.integers = word.data();
        else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) return of(at::IntArrayRef(word));
        else if constexpr (is_vector<T>::value) return of_list(word);
        else if constexpr (is_optional<T>::value) return word ? of(*word) : absent();
        else if constexpr (std::is_convertible_v<T, std::string>) return of_text(word);
        else static_assert(std::is_same_v<T, at::Tensor>, "hone hands no such argument on to torch");
        return value;
    }
    template <class... T> Value of_tuple(const T&... all) { return made({of(all)...}); }

private:
    // Python leaves such an argument out; one that is `nothing` with a count of 0 is None.
    static Value absent() {
        Value value;
        value.count = 1;
        return value;
    }
    Value made(std::vector<Value> values) {
        lists_.push_back(std::make_unique<std::vector<Value>>(std::move(values)));
        Value value;
        value.kind = list, value.count = static_cast<std::int64_t>(lists_.back()->size()),
        value.list = lists_.back()->data();
        return value;
    }
    template <class T> Value of_list(const std::vector<T>& all) {
        std::vector<Value> values;
        for (const T& one : all) values.push_back(of(one));
        return made(std::move(values));
    }
    Value of_text(std::string word) {
        texts_.push_back(std::make_unique<std::string>(std::move(word)));
        Value value;
        value.kind = text, value.text = texts_.back()->c_str();
        return value;
    }
    std::vector<std::unique_ptr<std::vector<Value>>> lists_;
    std::vector<std::unique_ptr<std::string>> texts_;
};

template <class T> T taken(const Value& value) {
    if constexpr (is_optional<T>::value) {
        if (value.kind == nothing) return std::nullopt;
        return taken<typename T::value_type>(value);
    } else if constexpr (std::is_same_v<T, at::Tensor>) {
        if (value.kind != tensor && value.kind != nothing) fail("an argument is no tensor");
        return value.kind == tensor ? at::Tensor(*value.tensor) : at::Tensor();
    } else if constexpr (std::is_arithmetic_v<T>) {
        if (value.kind == real) return static_cast<T>(value.real);
        if (value.kind != integer && value.kind != truth) fail("an argument is no number");
        return static_cast<T>(value.integer);
    } else if constexpr (std::is_same_v<T, std::string>) {
        if (value.kind != text) fail("an argument is no text");
        return value.text;
    } else if constexpr (is_vector<T>::value) {
        T all;
        if (value.kind == integers)
            for (std::int64_t i = 0; i < value.count; ++i) {
                if constexpr (std::is_arithmetic_v<typename T::value_type>)
                    all.push_back(static_cast<typename T::value_type>(value.integers[i]));
            }
        else if (value.kind == list)
            for (std::int64_t i = 0; i < value.count; ++i) all.push_back(taken<typename T::value_type>(value.list[i]));
        else fail("an argument is no list");
        return all;
    } else {
        static_assert(std::is_same_v<T, at::Tensor>, "hone passes no such argument to a function of an extension");
    }
}

template <class... A> Value ask(const char* name, const A&... arguments) {
    Words words;
    const Value given[] = {words.of(arguments)..., Value{}};
    Value result;
    if (python.call(name, given, sizeof...(arguments), &result)) fail(result.text);
    return result;
}
template <class... A> at::Tensor ask_tensor(const char* name, const A&... arguments) {
    return taken<at::Tensor>(ask(name, arguments...));
}

}  // namespace hone_extension

namespace at {

#define HONE_METHOD(name)                                               \
    template <class... A> Tensor Tensor::name(const A&... rest) const { \
        return hone_extension::ask_tensor("." #name, *this, rest...);   \
    }
#define HONE_METHOD_OF_SIZES(name) \
    inline Tensor Tensor::name(IntArrayRef sizes) const { return hone_extension::ask_tensor("." #name, *this, sizes); }
HONE_METHODS(HONE_METHOD, HONE_METHOD_OF_SIZES)
#undef HONE_METHOD
#undef HONE_METHOD_OF_SIZES

template <class T> T Tensor::item() const { return hone_extension::taken<T>(hone_extension::ask(".item", *this)); }

#define HONE_OPERATOR(sign, name)                                                       \
    inline Tensor operator sign(const Tensor& a, const Tensor& b) { return a.name(b); } \
    inline Tensor operator sign(const Tensor& a, double b) { return a.name(b); }
HONE_OPERATOR(+, add)
HONE_OPERATOR(-, sub)
HONE_OPERATOR(*, mul)
HONE_OPERATOR(/, div)
#undef HONE_OPERATOR

#define HONE_FACTORY(name)                                                                   \
    inline Tensor name(IntArrayRef sizes, const TensorOptions& options = {}) {               \
        return hone_extension::ask_tensor(#name, sizes, options.type, options.place);        \
    }                                                                                        \
    inline Tensor name##_like(const Tensor& like, const TensorOptions& options = {}) {       \
        return hone_extension::ask_tensor(#name "_like", like, options.type, options.place); \
    }
HONE_FACTORY(empty)
HONE_FACTORY(zeros)
HONE_FACTORY(ones)
#undef HONE_FACTORY
template <class T> Tensor full(IntArrayRef sizes, T value, const TensorOptions& options = {}) {
    return hone_extension::ask_tensor("full", sizes, value, options.type, options.place);
}
inline Tensor arange(std::int64_t end, const TensorOptions& options = {}) {
    return hone_extension::ask_tensor("arange", end, options.type, options.place);
}

#define HONE_FUNCTIONS(one)                                                                                         \
    one(matmul) one(mm) one(bmm) one(addmm) one(linear) one(relu) one(sigmoid) one(tanh) one(gelu) one(softmax)     \
        one(exp) one(log) one(sqrt) one(clamp) one(sum) one(mean) one(cumsum) one(add) one(mul) one(sub) one(div)   \
            one(conv1d) one(conv2d) one(conv3d) one(conv_transpose1d) one(conv_transpose2d) one(conv_transpose3d)   \
                one(max_pool2d) one(avg_pool2d) one(batch_norm) one(layer_norm) one(group_norm) one(cat) one(stack) \
                    one(amax) one(amin) one(where) one(argmin) one(argmax) one(abs) one(pow) one(norm)
#define HONE_FUNCTION(name) \
    template <class... A> Tensor name(const A&... arguments) { return hone_extension::ask_tensor(#name, arguments...); }
HONE_FUNCTIONS(HONE_FUNCTION)
#undef HONE_FUNCTION

}  // namespace at
