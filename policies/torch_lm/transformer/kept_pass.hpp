// kept_pass.hpp: a pass over whole sequences that is kept for its gradient. A layer at a time is differentiated by
// LibTorch's autograd, and its weights' gradients go into the float32 sum as soon as they are known.
#pragma once
#include <vector>
#include "torch_lm/model/network.hpp"
#include "torch_lm/transformer/layer.hpp"

namespace hone::lm {

class KeptPass {
public:
    explicit KeptPass(const Model& model) : model_(model) {}
    // Returns the outputs of the asked rows, after the final norm: [asked][width]. Gradients are those of the adapter,
    // where there is one, else of all weights. The weights outlive the pass.
    at::Tensor forward(const Parameters& weights, const Adapter* adapter, TensorPass pass, const at::Tensor& asked);
    // Adds to gradient, whose output matrix is the caller's; ends the pass.
    void backward(const at::Tensor& d_outputs, Gradient& gradient);

private:
    struct Segment {  // a layer, or the final norm
        at::Tensor in, out;
        std::vector<at::Tensor> leaves;
    };
    Segment layer_segment(std::size_t number, const at::Tensor& in) const;
    at::Tensor layer_gradient(std::size_t number, const at::Tensor& d_out, Gradient& gradient);
    Model model_;
    const Parameters* weights_ = nullptr;
    const Adapter* adapter_ = nullptr;
    TensorPass pass_;
    std::vector<at::Tensor> inputs_;  // of each layer, where layers run again for their gradient
    std::vector<Segment> layers_;     // else
    Segment final_;
};

}  // namespace hone::lm
