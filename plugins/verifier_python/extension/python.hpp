// What a program of load_inline includes instead of torch's C++: verifier.python puts the files of this folder together
// as torch/extension.h. They compile in a second where torch's own take half a minute. A tensor is Python's: C++ holds
// it, reads its address and shape once (View) and asks Python for everything else by name (runner/extension.py).
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

using Index = std::ptrdiff_t;

// What is used of CPython's stable ABI: Python's own header need not be installed.
extern "C" {
struct PyObject;
struct PyMethodDef {
    const char* name;
    PyObject* (*call)(PyObject*, PyObject* const*, Index, PyObject*);
    int flags;
    const char* about;
};
extern PyObject _Py_NoneStruct, PyFloat_Type, PyList_Type, PyLong_Type, PyTuple_Type, PyUnicode_Type,
    *PyExc_RuntimeError;
void Py_IncRef(PyObject*), Py_DecRef(PyObject*), PyGILState_Release(int), PyEval_RestoreThread(void*);
int Py_IsInitialized(), PyGILState_Ensure();
void* PyEval_SaveThread();
PyObject *PyObject_GetAttr(PyObject*, PyObject*), *PyObject_GetAttrString(PyObject*, const char*),
    *PyObject_GetItem(PyObject*, PyObject*), *PyObject_Str(PyObject*);
PyObject *PyObject_Call(PyObject*, PyObject*, PyObject*), *PyObject_CallMethodObjArgs(PyObject*, PyObject*, ...);
int PyObject_IsInstance(PyObject*, PyObject*), PyObject_SetAttrString(PyObject*, const char*, PyObject*);
PyObject *PyBool_FromLong(long), *PyLong_FromLongLong(long long), *PyFloat_FromDouble(double);
long long PyLong_AsLongLong(PyObject*);
double PyFloat_AsDouble(PyObject*);
PyObject* PyUnicode_DecodeUTF8(const char*, Index, const char*);
PyObject* PyUnicode_AsEncodedString(PyObject*, const char*, const char*);
char* PyBytes_AsString(PyObject*);
Index PyBytes_Size(PyObject*), PySequence_Size(PyObject*);
PyObject *PyTuple_New(Index), *PyTuple_GetItem(PyObject*, Index), *PyList_New(Index), *PyDict_New();
PyObject* PySequence_GetItem(PyObject*, Index);
int PyTuple_SetItem(PyObject*, Index, PyObject*), PyList_SetItem(PyObject*, Index, PyObject*);
int PyDict_SetItemString(PyObject*, const char*, PyObject*);
PyObject *PyErr_Occurred(), *PyCFunction_NewEx(PyMethodDef*, PyObject*, PyObject*);
void PyErr_SetObject(PyObject*, PyObject*), PyErr_Fetch(PyObject**, PyObject**, PyObject**);
void PyErr_NormalizeException(PyObject**, PyObject**, PyObject**);
}

// A program's function runs without Python's lock, so that threads of its own may ask Python too.
struct Locked {
    int state = PyGILState_Ensure();
    ~Locked() { PyGILState_Release(state); }
};
struct Unlocked {
    void* state = PyEval_SaveThread();
    ~Unlocked() { PyEval_RestoreThread(state); }
};

struct Drop {
    void operator()(PyObject* object) const { Py_DecRef(object); }
};
using Object = std::unique_ptr<PyObject, Drop>;

inline Object shared(PyObject* object) {
    Py_IncRef(object);
    return Object(object);
}

template <class... Words> [[noreturn]] void fail(const Words&... words) {
    std::ostringstream text;
    (text << ... << words);
    throw std::runtime_error(text.str().empty() ? "a check of the extension failed" : text.str());
}

inline Object checked(PyObject* made);

inline std::string text_of(PyObject* text) {
    const Object bytes = checked(PyUnicode_AsEncodedString(text, "utf-8", "replace"));
    return {PyBytes_AsString(bytes.get()), static_cast<std::size_t>(PyBytes_Size(bytes.get()))};
}

// Python's exception becomes one of C++.
[[noreturn]] inline void fail_as_python() {
    PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    const Object held[] = {Object(type), Object(value), Object(trace)};
    const Object name = checked(PyObject_GetAttrString(type, "__name__")), text = checked(PyObject_Str(value));
    fail(text_of(name.get()), ": ", text_of(text.get()));
}

inline Object checked(PyObject* made) {
    if (!made) fail_as_python();
    return Object(made);
}

constexpr Index most_dimensions = 12;

struct View {
    PyObject* tensor;
    void* data;
    std::int64_t dtype, device, rank;  // dtype: a ScalarType; device: -1 is the host, else a GPU's number
    std::int64_t sizes[most_dimensions], strides[most_dimensions];  // strides in elements

    // The last copy may go in any thread, and one that a program keeps for good goes after Python.
    ~View() {
        if (!Py_IsInitialized()) return;
        const Locked lock;
        Py_DecRef(tensor);
    }
};

}  // namespace hone_extension
