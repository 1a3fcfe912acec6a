#include "torch_lm/transformer/gpu_operations.hpp"
#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

namespace hone::lm {
namespace {

using torch::autograd::AutogradContext, torch::autograd::Function, torch::autograd::variable_list;

constexpr unsigned threads = 256;
constexpr std::int64_t norm_blocks = 1024;  // of norm_gradient: some eight a multiprocessor
constexpr cuda::Stream queue = nullptr;     // LibTorch's own

std::int64_t up(std::int64_t n, std::int64_t by) { return (n + by - 1) / by; }

template <class... Tensors>
void launch(const gpu::Kernels& kernels, cuda::Function kernel, std::int64_t items, const Tensors&... all) {
    kernels.launch(kernel, {up(items, threads), 1, 1, threads}, queue, {&all...});
}

const gpu::Kernels& kernels_of(AutogradContext* context) {
    return *reinterpret_cast<const gpu::Kernels*>(context->saved_data["kernels"].toInt());
}

void keep(AutogradContext* context, const gpu::Kernels& kernels) {
    context->saved_data["kernels"] = reinterpret_cast<std::int64_t>(&kernels);
}

Heads parted(const gpu::Kernels& kernels, const at::Tensor& qkv, const at::Tensor& rotary, std::int64_t heads) {
    const std::int64_t rows = qkv.size(0), kv_heads = (qkv.size(1) - heads) / 2, width = qkv.size(2);
    const auto empty = [&](std::int64_t n) { return at::empty({rows, n, width}, qkv.options()); };
    Heads to{empty(heads), empty(kv_heads), empty(kv_heads)};
    const at::Tensor whole = qkv.contiguous();
    const void *from = whole.const_data_ptr(), *table = rotary.const_data_ptr(), *q = to.q.const_data_ptr(),
               *k = to.k.const_data_ptr(), *v = to.v.const_data_ptr();
    launch(kernels, kernels.part_heads, whole.numel() / 8, from, table, q, k, v, rows);
    return to;
}

at::Tensor joined(const gpu::Kernels& kernels, const Heads& from, const at::Tensor& rotary) {
    const at::Tensor q = from.q.contiguous(), k = from.k.contiguous(), v = from.v.contiguous();
    const std::int64_t rows = q.size(0);
    const at::Tensor to = at::empty({rows, q.size(1) + 2 * k.size(1), q.size(2)}, q.options());
    const void *q_at = q.const_data_ptr(), *k_at = k.const_data_ptr(), *v_at = v.const_data_ptr(),
               *table = rotary.const_data_ptr(), *at = to.const_data_ptr();
    launch(kernels, kernels.join_heads, to.numel() / 8, q_at, k_at, v_at, table, at, rows);
    return to;
}

struct PartHeads : Function<PartHeads> {
    static variable_list forward(AutogradContext* context, const at::Tensor& qkv, const at::Tensor& rotary,
                                 std::int64_t heads, const gpu::Kernels* kernels) {
        context->save_for_backward({rotary});
        keep(context, *kernels);
        const Heads to = parted(*kernels, qkv, rotary, heads);
        return {to.q, to.k, to.v};
    }
    static variable_list backward(AutogradContext* context, const variable_list& d) {
        return {joined(kernels_of(context), {d[0], d[1], d[2]}, context->get_saved_variables()[0]), {}, {}, {}};
    }
};

Normed normed(const gpu::Kernels& kernels, const at::Tensor& x, const at::Tensor& change, const at::Tensor& weight) {
    const Normed to{change.defined() ? at::empty_like(x) : x, at::empty_like(x)};
    const void *from = x.const_data_ptr(), *by = change.defined() ? change.const_data_ptr() : nullptr,
               *scale = weight.const_data_ptr(), *sum = to.x.const_data_ptr(), *y = to.y.const_data_ptr();
    kernels.launch(kernels.add_norm, {x.size(0), 1, 1, kernels.cut.norm_threads}, queue,
                   {&from, &by, &scale, &sum, &y});
    return to;
}

// Of the sum and of the weight.
std::pair<at::Tensor, at::Tensor> norm_gradient(AutogradContext* context, const variable_list& d) {
    const gpu::Kernels& kernels = kernels_of(context);
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1], d_x = d[0].contiguous(), d_y = d[1].contiguous(),
                     to = at::empty_like(x);
    const auto rows = static_cast<std::int32_t>(x.size(0));
    const std::int64_t blocks = std::min<std::int64_t>(rows, norm_blocks);
    const at::Tensor parts = at::empty({blocks, x.size(1)}, x.options().dtype(at::kFloat));
    const void *from = x.const_data_ptr(), *scale = weight.const_data_ptr(), *beside = d_x.const_data_ptr(),
               *change = d_y.const_data_ptr(), *at = to.const_data_ptr(), *parts_at = parts.const_data_ptr();
    kernels.launch(kernels.norm_gradient, {blocks, 1, 1, kernels.cut.norm_threads}, queue,
                   {&from, &scale, &beside, &change, &at, &parts_at, &rows});
    return {to, parts.sum(0).to(weight.scalar_type())};
}

struct Norm : Function<Norm> {
    static variable_list forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                                 const gpu::Kernels* kernels) {
        context->save_for_backward({x, weight});
        keep(context, *kernels);
        return {x, normed(*kernels, x, {}, weight).y};
    }
    static variable_list backward(AutogradContext* context, const variable_list& d) {
        const auto [d_x, d_weight] = norm_gradient(context, d);
        return {d_x, d_weight, {}};
    }
};

struct AddNorm : Function<AddNorm> {
    static variable_list forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& change,
                                 const at::Tensor& weight, const gpu::Kernels* kernels) {
        const Normed to = normed(*kernels, x, change, weight);
        context->save_for_backward({to.x, weight});
        keep(context, *kernels);
        return {to.x, to.y};
    }
    static variable_list backward(AutogradContext* context, const variable_list& d) {
        const auto [d_x, d_weight] = norm_gradient(context, d);
        return {d_x, d_x, d_weight, {}};
    }
};

at::Tensor gated(const gpu::Kernels& kernels, const at::Tensor& gate_up) {
    const auto rows = static_cast<std::int32_t>(gate_up.size(0));
    const at::Tensor hidden = at::empty({rows, gate_up.size(1) / 2}, gate_up.options());
    const void *from = gate_up.const_data_ptr(), *to = hidden.const_data_ptr();
    launch(kernels, kernels.gate, hidden.numel() / 8, from, to, rows);
    return hidden;
}

struct Gate : Function<Gate> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& gate_up, const gpu::Kernels* kernels) {
        context->save_for_backward({gate_up});
        keep(context, *kernels);
        return gated(*kernels, gate_up);
    }
    static variable_list backward(AutogradContext* context, const variable_list& d) {
        const gpu::Kernels& kernels = kernels_of(context);
        const at::Tensor gate_up = context->get_saved_variables()[0], d_hidden = d[0].contiguous(),
                         d_gate_up = at::empty_like(gate_up);
        const void *from = gate_up.const_data_ptr(), *change = d_hidden.const_data_ptr(),
                   *to = d_gate_up.const_data_ptr();
        const auto rows = static_cast<std::int32_t>(gate_up.size(0));
        launch(kernels, kernels.gate_gradient, d_hidden.numel() / 8, from, change, to, rows);
        return {d_gate_up, {}};
    }
};

}  // namespace

Heads part_heads(const TensorPass& pass, const Config& c, const at::Tensor& qkv) {
    if (!at::GradMode::is_enabled() || !qkv.requires_grad()) return parted(*pass.kernels, qkv, pass.rotary, c.heads);
    const variable_list parts = PartHeads::apply(qkv, pass.rotary, c.heads, pass.kernels);
    return {parts[0], parts[1], parts[2]};
}

Normed add_norm_by_gpu(const gpu::Kernels& kernels, const at::Tensor& x, const at::Tensor& change,
                       const at::Tensor& weight) {
    const at::Tensor from = x.contiguous(), by = change.defined() ? change.contiguous() : change;
    if (!at::GradMode::is_enabled()) return normed(kernels, from, by, weight);
    const variable_list to =
        by.defined() ? AddNorm::apply(from, by, weight, &kernels) : Norm::apply(from, weight, &kernels);
    return {to[0], to[1]};
}

at::Tensor swiglu_by_gpu(const gpu::Kernels& kernels, const at::Tensor& gate_up) {
    const at::Tensor from = gate_up.contiguous();
    if (!at::GradMode::is_enabled() || !from.requires_grad()) return gated(kernels, from);
    return Gate::apply(from, &kernels);
}

void score_by_gpu(const gpu::Kernels& kernels, const at::Tensor& logits, const at::Tensor& targets, double temperature,
                  const RowScores& to) {
    const void *from = logits.const_data_ptr(), *which = targets.const_data_ptr(), *logp = to.logp.const_data_ptr(),
               *entropy = to.entropy.const_data_ptr(), *log_sum = to.log_sum.const_data_ptr();
    const auto divisor = static_cast<float>(temperature);
    kernels.launch(kernels.score_rows, {logits.size(0), 1, 1, 1024}, queue,
                   {&from, &which, &divisor, &logp, &entropy, &log_sum});
}

void score_gradient_by_gpu(const gpu::Kernels& kernels, const at::Tensor& logits, const at::Tensor& targets,
                           double temperature, const RowScores& scores, const ScoreWeights& weights,
                           const at::Tensor& d) {
    const void *from = logits.const_data_ptr(), *which = targets.const_data_ptr(),
               *log_sum = scores.log_sum.const_data_ptr(), *entropy = scores.entropy.const_data_ptr(),
               *by_logp = weights.logp.const_data_ptr(), *by_entropy = weights.entropy.const_data_ptr(),
               *to = d.const_data_ptr();
    const auto divisor = static_cast<float>(temperature);
    kernels.launch(kernels.score_gradient, {logits.size(0), up(logits.size(1), gpu::columns), 1, threads}, queue,
                   {&from, &which, &divisor, &log_sum, &entropy, &by_logp, &by_entropy, &to});
}

}  // namespace hone::lm
