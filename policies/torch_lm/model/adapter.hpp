// adapter.hpp: low-rank changes of a model's matrices (LoRA, Hu et al., arXiv 2106.09685): instead of W, a layer
// multiplies by W + scale B A. float32, where the model lies.
#pragma once
#include "torch_lm/format/config.hpp"
#include "torch_lm/model/named_values.hpp"
#include "torch_lm/model/parameters.hpp"

namespace hone::lm {

struct LowRank {
    at::Tensor a, b;  // [rank][in], [out][rank]
};

struct LayerAdapter {
    LowRank q, k, v, out, gate, up, down;
};

class Adapter {
public:
    // zeros
    Adapter(const Config& config, std::int64_t rank, double alpha, Place place);
    Adapter(Adapter&&) = default;
    Adapter& operator=(Adapter&&) = default;

    std::int64_t rank() const { return rank_; }
    double alpha() const { return alpha_; }
    double scale() const { return alpha_ / static_cast<double>(rank_); }
    at::Tensor values;                 // all of them
    std::vector<NamedTensor> tensors;  // named as PEFT names them
    std::vector<LayerAdapter> layers;

    // a uniform as PEFT draws it, b 0: the model is unchanged.
    void initialize(std::uint64_t seed);
    // to = base, changed as the adapter says
    void merge(const Parameters& base, Parameters& to) const;

private:
    std::int64_t rank_;
    double alpha_;
};

}  // namespace hone::lm
