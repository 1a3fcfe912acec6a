// PYBIND11_MODULE: the functions that Python gets.
namespace hone_extension {

struct Function {
    std::string name;
    std::vector<std::string> arguments;  // their names, where they are given
    std::function<Object(const std::vector<PyObject*>&)> call;
    PyMethodDef method;
};

template <class R, class... A, std::size_t... I>
Object call_with(R (*function)(A...), const std::vector<PyObject*>& given, std::index_sequence<I...>) {
    std::tuple<std::decay_t<A>...> arguments{taken<std::decay_t<A>>(given[I])...};
    const auto call = [&] {
        const Unlocked meanwhile;
        return function(static_cast<A>(std::get<I>(arguments))...);
    };
    if constexpr (std::is_void_v<R>) return call(), none();
    else return of<std::decay_t<R>>(call());
}

template <class R, class... A> auto callable(R (*function)(A...)) {
    return [function](const std::vector<PyObject*>& given) {
        if (given.size() != sizeof...(A))
            fail("the function takes ", sizeof...(A), " arguments and got ", given.size());
        return call_with(function, given, std::index_sequence_for<A...>());
    };
}

// given: the arguments by position, then those of `names`, which go to their declared places.
inline std::vector<PyObject*> in_order(const Function& function, PyObject* const* given, Index count, PyObject* names) {
    const Index named = names ? PySequence_Size(names) : 0;
    std::vector<PyObject*> words(given, given + count + named);
    for (Index i = 0; i < named; ++i) {
        const std::string name = text_of(PyTuple_GetItem(names, i));
        auto at = static_cast<std::size_t>(count);
        while (at < function.arguments.size() && function.arguments[at] != name) ++at;
        if (at >= words.size() || at >= function.arguments.size()) fail(function.name, " has no argument ", name);
        words[at] = given[count + i];
    }
    return words;
}

// Python gets no exception of C++, but one of its own.
template <class Work> PyObject* guarded(const Work& work) {
    std::string failure = "the extension threw something that is no std::exception";
    try {
        return work().release();
    } catch (const std::exception& error) {
        failure = error.what();
    } catch (...) {
    }
    PyErr_SetObject(PyExc_RuntimeError, text(failure).get());
    return nullptr;
}

inline PyObject* enter(PyObject* self, PyObject* const* given, Index count, PyObject* names) {
    return guarded([&] {
        const auto& function = *reinterpret_cast<const Function*>(integer_of(self));
        return function.call(in_order(function, given, count, names));
    });
}

}  // namespace hone_extension

namespace pybind11 {

struct arg {
    const char* name;
    explicit arg(const char* word) : name(word) {}
};

class module_ {
public:
    explicit module_(hone_extension::PyObject* module) : python_(module) {}
    template <class F, class... Extra> module_& def(const char* name, F&& function, const Extra&... extra) {
        auto* const made = new hone_extension::Function{name, {}, {}, {}};  // lives as long as the library
        if constexpr (std::is_class_v<std::decay_t<F>>) made->call = hone_extension::callable(+function);
        else made->call = hone_extension::callable(function);
        (note(*made, extra), ...);
        add(*made);
        return *this;
    }
    std::string& doc() { return doc_; }

private:
    void add(hone_extension::Function& made) {
        using namespace hone_extension;
        constexpr int with_keywords = 0x80 | 0x2;  // METH_FASTCALL, METH_KEYWORDS
        made.method = {made.name.c_str(), &enter, with_keywords, nullptr};
        const Object self = of(reinterpret_cast<std::int64_t>(&made));
        const Object function = checked(PyCFunction_NewEx(&made.method, self.get(), nullptr));
        if (PyObject_SetAttrString(python_, made.name.c_str(), function.get())) fail_as_python();
    }
    static void note(hone_extension::Function& made, const arg& named) { made.arguments.push_back(named.name); }
    template <class T> static void note(hone_extension::Function&, const T&) {}
    hone_extension::PyObject* python_;
    std::string doc_;
};
using module = module_;

}  // namespace pybind11

namespace hone_extension {
inline PyObject* module_of(PyObject* empty, PyObject* known, void (*define)(pybind11::module_&)) {
    return guarded([&] {
        const auto name = [](const char* word) { return text(word).release(); };
        python = {shared(known).release(), nullptr,       name("data_ptr"), name("get_device"),
                  name("stride"),          name("dtype"), name("shape")};
        python.tensor = found(text("Tensor")).release();
        pybind11::module_ module(empty);
        define(module);
        return shared(empty);
    });
}
}  // namespace hone_extension

#define PYBIND11_MODULE(name, m)                                                                         \
    static void hone_define(::pybind11::module_&);                                                       \
    extern "C" __attribute__((visibility("default"))) ::hone_extension::PyObject* hone_extension_module( \
        ::hone_extension::PyObject* empty, ::hone_extension::PyObject* known) {                          \
        return ::hone_extension::module_of(empty, known, &hone_define);                                  \
    }                                                                                                    \
    static void hone_define(::pybind11::module_& m)
