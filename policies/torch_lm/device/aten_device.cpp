// LibTorch's operators, on a GPU or (for the tests) on the host. Everything is asked for in order and happens later;
// what comes back to the host waits for it.
#include <ATen/ATen.h>
#include <algorithm>
#include "torch_lm/device/aten_attention.hpp"
#include "torch_lm/device/aten_draw.hpp"
#include "torch_lm/device/device.hpp"
#include "torch_lm/model/gemm.hpp"
#include "torch_lm/model/tensor_view.hpp"

namespace hone::lm {
namespace {

class AtenDevice : public Device {
public:
    explicit AtenDevice(int gpu) : gpu_(gpu) {}

    void begin(const Packed& packed) override {
        n_ = packed.tokens();
        ids_end_ = end_of(packed.ids), positions_end_ = end_of(packed.positions);
        ids_ = here(packed.ids, {n_});
        positions_ = here(packed.positions, {n_});
        cosine_ = sine_ = at::Tensor();
        padding_ = pad(packed.begin, place(gpu_));
        slots_ = here(packed.slots, {static_cast<std::int64_t>(packed.slots.size())});
        blocks_ = here(packed.blocks, {packed.most_blocks ? n_ : 0, packed.most_blocks});
        block_used_ = here(packed.block_used, {packed.most_blocks ? n_ : 0, packed.most_blocks});
    }

    void embed(const float* table, float* x, std::int64_t width) override {
        auto to = view(x, {n_, width});
        at::index_select_out(to, view(table, {ids_end_, width}), 0, ids_);
    }
    void embed_gradient(const float* dx, float* d_table, std::int64_t width) override {
        // index_add_ sums in any order on a GPU
        view(d_table, {ids_end_, width}).index_put_({ids_}, view(dx, {n_, width}), true);
    }
    void linear(const float* x, const float* w, float* y, std::int64_t rows, std::int64_t in, std::int64_t out,
                bool add) override {
        lm::linear(x, w, y, rows, in, out, add, gpu_);
    }
    void linear_input_gradient(const float* dy, const float* w, float* dx, std::int64_t rows, std::int64_t in,
                               std::int64_t out) override {
        lm::linear_input_gradient(dy, w, dx, rows, in, out, false, gpu_);
    }
    void linear_weight_gradient(const float* dy, const float* x, float* dw, std::int64_t rows, std::int64_t in,
                                std::int64_t out) override {
        lm::linear_weight_gradient(dy, x, dw, rows, in, out, gpu_);
    }
    void rms_norm(const float* x, const float* w, float* y, float* inverse, std::int64_t width,
                  float epsilon) override {
        const at::Tensor input = view(x, {n_, width});
        at::Tensor scale = view(inverse, {n_, 1}), to = view(y, {n_, width});
        at::rsqrt_out(scale, input.square().mean(-1, true).add_(epsilon));
        at::mul_out(to, input * scale, view(w, {width}));
    }
    void rms_norm_gradient(const float* x, const float* w, const float* inverse, const float* dy, float* dx, float* dw,
                           std::int64_t width) override {
        const at::Tensor unit = view(x, {n_, width}) * view(inverse, {n_, 1}), d = view(dy, {n_, width}),
                         dw_rows = d * unit;
        const at::Tensor d_unit = d * view(w, {width}), along = (d_unit * unit).mean(-1, true);
        view(dx, {n_, width}).addcmul_(d_unit.sub_(unit * along), view(inverse, {n_, 1}));
        view(dw, {width}).add_(dw_rows.sum(0));
    }
    void rotate(const AttentionShape& shape, float* qkv, const float* table, float sign) override {
        const std::int64_t turned = shape.heads + shape.kv_heads, half = shape.head_width / 2;
        if (!cosine_.defined()) turn_by(table, shape.head_width);
        const at::Tensor pairs =
            view(qkv, {n_, shape.stride()}).narrow(1, 0, turned * shape.head_width).view({n_, turned, 2, half});
        at::Tensor a = pairs.select(2, 0), b = pairs.select(2, 1);
        const at::Tensor was = a.clone();
        a.mul_(cosine_).addcmul_(b, sine_, -sign);
        b.mul_(cosine_).addcmul_(was, sine_, sign);
    }
    void swiglu(const float* gate_up, float* h, std::int64_t width) override {
        const at::Tensor both = view(gate_up, {n_, 2, width});
        auto to = view(h, {n_, width});
        at::mul_out(to, at::silu(both.select(1, 0)), both.select(1, 1));
    }
    void swiglu_gradient(const float* gate_up, const float* dh, float* d_gate_up, std::int64_t width) override {
        const at::Tensor both = view(gate_up, {n_, 2, width}), gate = both.select(1, 0), d = view(dh, {n_, width});
        auto to = view(d_gate_up, {n_, 2, width});
        to.select(1, 0).copy_(at::silu_backward(d * both.select(1, 1), gate));
        to.select(1, 1).copy_(d * at::silu(gate));
    }
    void attention(const AttentionShape& shape, const float* qkv, float* out, float*) override {
        view(out, {n_, shape.out_stride()}).copy_(causal_attention(shape, padding_, view(qkv, {n_, shape.stride()})));
    }
    void attention_gradient(const AttentionShape& shape, const float* qkv, const float*, const float*,
                            const float* d_out, float* d_qkv) override {
        const at::Tensor d = view(d_out, {n_, shape.out_stride()});
        view(d_qkv, {n_, shape.stride()})
            .copy_(causal_attention_gradient(shape, padding_, view(qkv, {n_, shape.stride()}), d));
    }
    void remember(const AttentionShape& shape, const CacheMemory& cache, std::int64_t layer,
                  const float* qkv) override {
        const at::Tensor rows =
            view(qkv, {n_, shape.stride()}).narrow(1, shape.out_stride(), shape.stride() - shape.out_stride());
        const at::Tensor block = slots_.div(block_tokens, "floor"), lane = slots_.remainder(block_tokens);
        layer_of(shape, cache, layer).index_put_({block, lane}, rows.view({n_, 2, shape.kv_heads, shape.head_width}));
    }
    void cached_attention(const AttentionShape& shape, const CacheMemory& cache, std::int64_t layer, const float* qkv,
                          float* out) override {
        const at::Tensor q = view(qkv, {n_, shape.stride()}).narrow(1, 0, shape.out_stride());
        view(out, {n_, shape.out_stride()})
            .copy_(lm::cached_attention(shape, q, layer_of(shape, cache, layer), blocks_, block_used_));
    }
    void token_logp(const float* logits, const std::int32_t* targets, std::int64_t rows, std::int64_t vocabulary,
                    float temperature, const TokenScores& to) override {
        const at::Tensor log_p = at::log_softmax(view(logits, {rows, vocabulary}) / temperature, -1);
        download(log_p.gather(1, targets_of(targets, rows)), to.logp, rows);
        download(entropy_of(log_p), to.entropy, rows);
    }
    void token_logp_gradient(float* logits, const std::int32_t* targets, std::int64_t rows, std::int64_t vocabulary,
                             float temperature, const TokenScores&, const float* weight,
                             const float* entropy_weight) override {
        const at::Tensor w = upload(weight, rows), e = upload(entropy_weight, rows);
        at::Tensor x = view(logits, {rows, vocabulary});
        const at::Tensor log_p = at::log_softmax(x / temperature, -1);
        x.copy_(log_p.exp().mul_((log_p + entropy_of(log_p)).mul_(e).add_(w)).neg_());
        x.scatter_add_(1, targets_of(targets, rows), w).div_(temperature);
    }
    void draw(const float* logits, std::int64_t rows, std::int64_t vocabulary, const DrawRule* rules,
              TokenDraw* to) override {
        draw_tokens(view(logits, {rows, vocabulary}), rules, to);
    }
    void copy(float* to, const float* from, std::int64_t floats) override {
        view(to, {floats}).copy_(view(from, {floats}));
    }
    void zero(float* at, std::int64_t floats) override { view(at, {floats}).zero_(); }
    void gather(const float* from, const std::int64_t* rows, std::int64_t count, std::int64_t width,
                float* to) override {
        auto target = view(to, {count, width});
        at::index_select_out(target, view(from, {n_, width}), 0, index(rows, count));
    }
    void scatter(const float* from, const std::int64_t* rows, std::int64_t count, std::int64_t width,
                 float* to) override {
        view(to, {n_, width}).index_copy_(0, index(rows, count), view(from, {count, width}));
    }
    double sum_of_squares(const float* x, std::int64_t floats) override {
        const double norm =
            at::linalg_vector_norm(view(x, {floats}), 2, c10::nullopt, false, at::kDouble).item<double>();
        return norm * norm;
    }

private:
    at::Tensor view(const float* at, at::IntArrayRef sizes) const { return tensor_view(at, sizes, gpu_); }
    template <class T> at::Tensor here(const std::vector<T>& from, at::IntArrayRef sizes) const {
        const at::TensorOptions type(sizeof(T) == 4 ? at::kInt : at::kLong);
        return at::from_blob(const_cast<T*>(from.data()), sizes, type).to(place(gpu_), at::kLong, false, true);
    }
    at::Tensor index(const std::int64_t* rows, std::int64_t count) const {
        return at::from_blob(const_cast<std::int64_t*>(rows), {count}, at::TensorOptions(at::kLong)).to(place(gpu_));
    }
    at::Tensor targets_of(const std::int32_t* targets, std::int64_t rows) const {
        return at::from_blob(const_cast<std::int32_t*>(targets), {rows, 1}, at::TensorOptions(at::kInt))
            .to(place(gpu_), at::kLong);
    }
    at::Tensor upload(const float* from, std::int64_t rows) const {
        return tensor_view(from, {rows, 1}, on_host).to(place(gpu_));
    }
    static void download(const at::Tensor& from, float* to, std::int64_t rows) {
        tensor_view(to, {rows, 1}, on_host).copy_(from);
    }
    static at::Tensor entropy_of(const at::Tensor& log_p) { return (log_p.exp() * log_p).sum(-1, true).neg_(); }
    // [blocks][16][keys, values][heads][width] of one layer
    at::Tensor layer_of(const AttentionShape& shape, const CacheMemory& cache, std::int64_t layer) const {
        return view(cache.at, {cache.blocks, cache.layers, block_tokens, 2, shape.kv_heads, shape.head_width})
            .select(1, layer);
    }
    void turn_by(const float* table, std::int64_t width) {
        const at::Tensor rows =
            view(table, {positions_end_, width}).index_select(0, positions_).view({n_, 1, 2, width / 2});
        cosine_ = rows.select(2, 0);
        sine_ = rows.select(2, 1);
    }
    static std::int64_t end_of(const std::vector<std::int32_t>& numbers) {
        return numbers.empty() ? 0 : *std::max_element(numbers.begin(), numbers.end()) + 1;
    }
    int gpu_;
    std::int64_t n_ = 0, ids_end_ = 0, positions_end_ = 0;  // rows of the pass, and of the tables that it looks up
    at::Tensor ids_, positions_, cosine_, sine_, slots_, blocks_, block_used_;
    Padding padding_;
};

}  // namespace

std::unique_ptr<Device> make_aten_device(int gpu) { return std::make_unique<AtenDevice>(gpu); }

}  // namespace hone::lm
