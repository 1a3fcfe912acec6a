#include "transcript.hpp"
#include <cmath>
#include <stdexcept>

namespace hone::torch_reference {
namespace {

using nlohmann::json;

std::string dtype_name(at::ScalarType type) {  // Python's
    switch (type) {
        case at::kDouble:
            return "float64";
        case at::kFloat:
            return "float32";
        case at::kHalf:
            return "float16";
        case at::kBFloat16:
            return "bfloat16";
        case at::kLong:
            return "int64";
        case at::kInt:
            return "int32";
        case at::kChar:
            return "int8";
        case at::kByte:
            return "uint8";
        case at::kBool:
            return "bool";
        default:
            throw std::runtime_error(std::string("no transcript of a tensor of ") + c10::toString(type));
    }
}

json real(double x) {
    if (std::isfinite(x)) return x;
    return {{"number", std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf"}};
}

const c10::Type& element_of(const c10::Type& declared) {
    if (declared.kind() == c10::TypeKind::OptionalType)
        return element_of(*declared.castRaw<c10::OptionalType>()->getElementType());
    return declared.kind() == c10::TypeKind::ListType ? *declared.castRaw<c10::ListType>()->getElementType() : declared;
}

}  // namespace

Transcript::Transcript(const std::vector<at::Tensor>& inputs) {
    for (const at::Tensor& input : inputs) {
        inputs_.push_back({{"dtype", dtype_name(input.scalar_type())}, {"shape", input.sizes().vec()}});
        number(input);
    }
}

void Transcript::number(const at::Tensor& tensor) {
    numbers_[tensor.unsafeGetTensorImpl()] = held_.size();
    held_.push_back(tensor);
}

json Transcript::argument(const c10::IValue& value, const c10::Type& declared) const {
    if (value.isNone()) return nullptr;
    if (value.isTensor()) {
        const at::Tensor& tensor = value.toTensor();
        if (tensor.unsafeGetTensorImpl()->is_wrapped_number())
            return tensor.is_floating_point() ? real(tensor.item<double>()) : json(tensor.item<int64_t>());
        return {{"tensor", numbers_.at(tensor.unsafeGetTensorImpl())}};
    }
    if (value.isList()) {
        json list = json::array();
        for (const c10::IValue& item : value.toListRef()) list.push_back(argument(item, element_of(declared)));
        return list;
    }
    if (element_of(declared).kind() == c10::TypeKind::ScalarTypeType)
        return {{"dtype", dtype_name(value.toScalarType())}};
    if (value.isBool()) return value.toBool();
    if (value.isInt()) return value.toInt();
    if (value.isDouble()) return real(value.toDouble());
    if (value.isString()) return value.toStringRef();
    if (value.isDevice()) return {{"device", true}};
    throw std::runtime_error("no transcript of an argument that is a " + value.tagKind());
}

void Transcript::before(const c10::FunctionSchema& schema, const torch::jit::Stack& arguments) try {
    json list = json::array();
    for (std::size_t i = 0; i < arguments.size(); ++i)
        list.push_back(argument(arguments[i], *schema.arguments()[i].real_type()));
    const std::string& overload = schema.overload_name();
    steps_.push_back(
        {{"op", schema.name() + "." + (overload.empty() ? "default" : overload)}, {"args", std::move(list)}});
} catch (const std::exception& e) {
    spoil(schema.name() + ": " + e.what());
}

void Transcript::after(const torch::jit::Stack& results) {
    for (const c10::IValue& result : results) {
        if (result.isTensor()) number(result.toTensor());
        else if (result.isTensorList())
            for (const at::Tensor& tensor : result.toTensorVector()) number(tensor);
        else spoil("an operator gives a " + result.tagKind());
    }
}

void Transcript::returned(const at::Tensor& tensor) {
    const auto found = numbers_.find(tensor.unsafeGetTensorImpl());
    if (found == numbers_.end()) return spoil("it returns a tensor that no operator made");
    outputs_.push_back(found->second);
}

void Transcript::spoil(const std::string& fault) {
    if (fault_.empty()) fault_ = fault;
}

json Transcript::doc() const {
    if (!fault_.empty()) return {{"fault", fault_}};
    return {{"inputs", inputs_}, {"steps", steps_}, {"outputs", outputs_}};
}

}  // namespace hone::torch_reference
