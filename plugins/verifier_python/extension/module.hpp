// PYBIND11_MODULE, and the functions by which Python reaches what it defines.
namespace hone_extension {

struct Function {
    std::string name;
    std::vector<std::string> arguments;  // their names, where they are given
    std::function<void(const Value*, std::int64_t, Value*)> call;
};
inline std::vector<Function> functions;
inline thread_local Words kept_words;              // of the last result
inline thread_local std::vector<at::Tensor> kept;  // likewise
inline thread_local std::string failure;

inline void keep(const at::Tensor& result) { kept.push_back(result); }
inline void keep(const std::vector<at::Tensor>& results) { kept.insert(kept.end(), results.begin(), results.end()); }
template <class T> void keep(const T&) {}

inline Value told(const at::Tensor& result) { return keep(result), kept_words.of(kept.back()); }
template <class T> Value told(const T& result) { return keep(result), kept_words.of(result); }
template <class... T> Value told(const std::tuple<T...>& results) {
    std::apply([](const auto&... all) { (keep(all), ...); }, results);
    return std::apply([](const auto&... all) { return kept_words.of_tuple(all...); }, results);
}
template <class A, class B> Value told(const std::pair<A, B>& results) {
    return told(std::make_tuple(results.first, results.second));
}

template <class R, class... A, std::size_t... I>
void call_with(R (*function)(A...), const Value* given, Value* result, std::index_sequence<I...>) {
    std::tuple<std::decay_t<A>...> arguments{taken<std::decay_t<A>>(given[I])...};
    if constexpr (std::is_void_v<R>) function(static_cast<A>(std::get<I>(arguments))...);
    else *result = told(function(static_cast<A>(std::get<I>(arguments))...));
}

template <class R, class... A> std::function<void(const Value*, std::int64_t, Value*)> callable(R (*function)(A...)) {
    return [function](const Value* given, std::int64_t count, Value* result) {
        if (count != sizeof...(A)) fail("the function takes ", sizeof...(A), " arguments and got ", count);
        call_with(function, given, result, std::index_sequence_for<A...>());
    };
}

}  // namespace hone_extension

namespace pybind11 {

struct arg {
    const char* name;
    explicit arg(const char* word) : name(word) {}
};

class module_ {
public:
    template <class F, class... Extra> module_& def(const char* name, F&& function, const Extra&... extra) {
        hone_extension::Function made{name, {}, {}};
        if constexpr (std::is_class_v<std::decay_t<F>>) made.call = hone_extension::callable(+function);
        else made.call = hone_extension::callable(function);
        (note(made, extra), ...);
        hone_extension::functions.push_back(std::move(made));
        return *this;
    }
    std::string& doc() { return doc_; }

private:
    static void note(hone_extension::Function& made, const arg& named) { made.arguments.push_back(named.name); }
    template <class T> static void note(hone_extension::Function&, const T&) {}
    std::string doc_;
};
using module = module_;

}  // namespace pybind11

namespace hone_extension {
inline int fill(void (*define)(pybind11::module_&)) {
    pybind11::module_ module;
    define(module);
    return 0;
}
}  // namespace hone_extension

#define PYBIND11_MODULE(name, m)                                          \
    static void hone_define(::pybind11::module_&);                        \
    static const int hone_defined = ::hone_extension::fill(&hone_define); \
    static void hone_define(::pybind11::module_& m)

#pragma GCC visibility push(default)
extern "C" {
__attribute__((weak)) void hone_extension_enter(hone_extension::Python with) { hone_extension::python = with; }
__attribute__((weak)) std::int64_t hone_extension_count() {
    return static_cast<std::int64_t>(hone_extension::functions.size());
}
__attribute__((weak)) const char* hone_extension_name(std::int64_t i) {
    return hone_extension::functions.at(static_cast<std::size_t>(i)).name.c_str();
}
__attribute__((weak)) const char* hone_extension_argument(std::int64_t i, std::int64_t k) {
    const auto& names = hone_extension::functions.at(static_cast<std::size_t>(i)).arguments;
    return static_cast<std::size_t>(k) < names.size() ? names[static_cast<std::size_t>(k)].c_str() : nullptr;
}
// null, or what went wrong
__attribute__((weak)) const char* hone_extension_call(std::int64_t i, const hone_extension::Value* given,
                                                      std::int64_t count, hone_extension::Value* result) {
    try {
        hone_extension::functions.at(static_cast<std::size_t>(i)).call(given, count, result);
        return nullptr;
    } catch (const std::exception& error) {
        hone_extension::failure = error.what();
    } catch (...) {
        hone_extension::failure = "the extension threw something that is no std::exception";
    }
    return hone_extension::failure.c_str();
}
// The result of the last call has been read.
__attribute__((weak)) void hone_extension_leave() {
    hone_extension::kept.clear();
    hone_extension::kept_words = {};
}
}
#pragma GCC visibility pop
