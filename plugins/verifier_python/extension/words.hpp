// Objects of Python's made of C++'s values, and the reverse. Whoever does it has Python's lock.
namespace hone_extension {

// Set once, by module_of. known: things of torch by name, dtypes by ScalarType and the reverse. The rest is what each
// tensor is asked: to make a name takes as long as the answer.
struct Python {
    PyObject *known, *tensor, *data_ptr, *get_device, *stride, *dtype, *shape;
};
inline Python python;

template <class T> struct is_vector : std::false_type {};
template <class T> struct is_vector<std::vector<T>> : std::true_type {};
template <class T> struct is_optional : std::false_type {};
template <class T> struct is_optional<std::optional<T>> : std::true_type {};
template <class T> struct is_tuple : std::false_type {};
template <class... T> struct is_tuple<std::tuple<T...>> : std::true_type {};
template <class A, class B> struct is_tuple<std::pair<A, B>> : std::true_type {};

inline Object text(const std::string& of) {
    return checked(PyUnicode_DecodeUTF8(of.data(), static_cast<Index>(of.size()), "replace"));
}
inline Object found(const Object& key) { return checked(PyObject_GetItem(python.known, key.get())); }

inline Object none() { return shared(&_Py_NoneStruct); }

// A tuple or a list.
template <class Made, class Set> Object filled(Made make, Set set, std::vector<Object>& all) {
    Object made = checked(make(static_cast<Index>(all.size())));
    for (std::size_t i = 0; i < all.size(); ++i) set(made.get(), static_cast<Index>(i), all[i].release());
    return made;
}

template <class T> Object of(const T& word);

template <class All> Object list_of(const All& all) {
    std::vector<Object> words;
    for (const auto& one : all) words.push_back(of(one));
    return filled(PyList_New, PyList_SetItem, words);
}
template <class... T> Object tuple_of(const T&... all) {
    std::vector<Object> words;
    (words.push_back(of(all)), ...);
    return filled(PyTuple_New, PyTuple_SetItem, words);
}

template <class T> Object of(const T& word) {
    if constexpr (std::is_same_v<T, bool>) return checked(PyBool_FromLong(word));
    else if constexpr (std::is_integral_v<T>) return checked(PyLong_FromLongLong(static_cast<long long>(word)));
    else if constexpr (std::is_floating_point_v<T>) return checked(PyFloat_FromDouble(static_cast<double>(word)));
    else if constexpr (std::is_same_v<T, at::Tensor>) return word.defined() ? shared(word.of_python()) : none();
    else if constexpr (std::is_same_v<T, at::ScalarType>) return found(of(static_cast<std::int64_t>(word)));
    else if constexpr (std::is_same_v<T, at::Device>)
        return text(word.is_cuda() ? "cuda:" + std::to_string(word.index()) : "cpu");
    else if constexpr (std::is_same_v<T, at::DeviceType>) return of(at::Device(word));
    else if constexpr (std::is_same_v<T, at::IntArrayRef> || is_vector<T>::value) return list_of(word);
    else if constexpr (is_optional<T>::value) return word ? of(*word) : none();
    else if constexpr (is_tuple<T>::value) return std::apply([](const auto&... all) { return tuple_of(all...); }, word);
    else if constexpr (std::is_convertible_v<T, std::string>) return text(word);
    else static_assert(std::is_same_v<T, at::Tensor>, "hone hands no such argument on to torch");
}

inline std::int64_t integer_of(PyObject* number) {
    const long long value = PyLong_AsLongLong(number);
    if (value == -1 && PyErr_Occurred()) fail_as_python();
    return value;
}

inline bool is(PyObject* given, PyObject& type) {
    const int answer = PyObject_IsInstance(given, &type);
    if (answer < 0) fail_as_python();
    return answer == 1;
}

inline at::Tensor tensor_of(PyObject* given) {
    if (!is(given, *python.tensor)) fail("an argument is no tensor");
    const auto called = [&](PyObject* name) { return checked(PyObject_CallMethodObjArgs(given, name, nullptr)); };
    const Object sizes = checked(PyObject_GetAttr(given, python.shape)), strides = called(python.stride);
    const auto view = std::make_shared<View>();
    view->rank = PySequence_Size(sizes.get());
    if (view->rank > most_dimensions) fail("a tensor with more than ", most_dimensions, " dimensions");
    for (Index i = 0; i < view->rank; ++i) {
        view->sizes[i] = PyLong_AsLongLong(PyTuple_GetItem(sizes.get(), i));
        view->strides[i] = PyLong_AsLongLong(PyTuple_GetItem(strides.get(), i));
    }
    view->data = reinterpret_cast<void*>(integer_of(called(python.data_ptr).get()));
    view->dtype = integer_of(found(checked(PyObject_GetAttr(given, python.dtype))).get());
    view->device = integer_of(called(python.get_device).get());
    view->tensor = shared(given).release();
    return at::Tensor(view);
}

template <class T> T taken(PyObject* given) {
    if constexpr (is_optional<T>::value) {
        if (given == &_Py_NoneStruct) return std::nullopt;
        return taken<typename T::value_type>(given);
    } else if constexpr (std::is_same_v<T, at::Tensor>) {
        return given == &_Py_NoneStruct ? at::Tensor() : tensor_of(given);
    } else if constexpr (std::is_arithmetic_v<T>) {
        if (is(given, PyFloat_Type)) return static_cast<T>(PyFloat_AsDouble(given));
        if (!is(given, PyLong_Type)) fail("an argument is no number");
        return static_cast<T>(integer_of(given));
    } else if constexpr (std::is_same_v<T, std::string>) {
        if (!is(given, PyUnicode_Type)) fail("an argument is no text");
        return text_of(given);
    } else if constexpr (is_vector<T>::value) {
        if (!is(given, PyList_Type) && !is(given, PyTuple_Type)) fail("an argument is no list");
        T all;
        for (Index i = 0; i < PySequence_Size(given); ++i)
            all.push_back(taken<typename T::value_type>(checked(PySequence_GetItem(given, i)).get()));
        return all;
    } else {
        static_assert(std::is_same_v<T, at::Tensor>, "hone passes no such argument to a function of an extension");
    }
}

}  // namespace hone_extension
