// ATen's operators by name: which overload fits the arguments of a Lua call. The schemas that torch registers for
// itself are the only source, so every functional operator of the installed LibTorch is there without a line for any of
// them.
#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <functional>
#include <lua.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hone::torch_reference {

// One operator name. Overloads that write an argument in place are left out of `functional`: an input is the
// candidate's too.
struct Operator {
    std::string name;                             // "softmax"
    std::vector<c10::OperatorHandle> functional;  // in the order of their overload names
    std::vector<c10::OperatorHandle> out;         // those that end with one tensor to write to
    bool data_dependent = false;                  // its result or its shape depends on values, not on shapes alone
};

// An overload chosen for the arguments of a call, ready to run.
struct Bound {
    c10::OperatorHandle op;
    torch::jit::Stack stack;
};

// How the caller keeps tensors in Lua; null: the value at index is not a tensor. Throws if it is one that was released.
using TensorAt = at::Tensor* (*)(lua_State*, int index);

class Operators {
public:
    explicit Operators(TensorAt tensor_at) : tensor_at_(tensor_at) {}
    // Throws std::runtime_error for a name that torch does not have (with the nearest it has) or that a reference must
    // not use: operators of files and random numbers, uninitialised memory, in-place forms and torch's internals (a
    // leading underscore).
    const Operator& find(const std::string& name);
    // Arguments at stack indices 1 .. lua_gettop; a last table with named fields gives named arguments. Factory
    // operators make tensors on `device`. Throws std::runtime_error listing the schemas when none fits.
    Bound bind(lua_State*, const Operator&, c10::Device device) const;

private:
    std::optional<torch::jit::Stack> match(lua_State*, const c10::FunctionSchema&, c10::Device, int& cost) const;
    std::optional<c10::IValue> convert(lua_State*, int index, const c10::Type&, const c10::Argument&, int& cost) const;
    std::optional<c10::IValue> convert_list(lua_State*, int index, const c10::Type& element, const c10::Argument&,
                                            int& cost) const;
    std::string describe_call(lua_State*, const Operator&) const;

    TensorAt tensor_at_;
    std::map<std::string, Operator> known_;
};

// The form of op that writes its one result into a given tensor (append it to the stack), if torch has one.
std::optional<c10::OperatorHandle> out_form(const Operator&, const c10::OperatorHandle& op);

}  // namespace hone::torch_reference
