// The operators of one call of a definition with their arguments, as data: scripts/compile_references.py makes a
// function of it that torch.compile takes. Tensors are numbered: the inputs from 0, then every operator's results in
// their order.
#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

namespace hone::torch_reference {

class Transcript {
public:
    explicit Transcript(const std::vector<at::Tensor>& inputs);
    // Around each operator. What cannot be written down spoils the transcript, not the call.
    void before(const c10::FunctionSchema&, const torch::jit::Stack& arguments);
    void after(const torch::jit::Stack& results);
    void returned(const at::Tensor&);
    void spoil(const std::string& fault);  // why there can be none; the first counts
    // {inputs: [{dtype, shape}], steps: [{op: "aten::add.Tensor", args}], outputs: [number of a tensor]}; an argument
    // that is a tensor is {tensor: number}, a dtype {dtype: "float32"}, an infinity or NaN {number: "inf"}. Or {fault}.
    nlohmann::json doc() const;

private:
    void number(const at::Tensor&);
    nlohmann::json argument(const c10::IValue&, const c10::Type& declared) const;
    nlohmann::json inputs_ = nlohmann::json::array(), steps_ = nlohmann::json::array(),
                   outputs_ = nlohmann::json::array();
    std::string fault_;
    std::map<const c10::TensorImpl*, std::size_t> numbers_;
    std::vector<at::Tensor> held_;  // by number; an address would otherwise be another tensor's next
};

}  // namespace hone::torch_reference
