#include "torch_lm/gpu/steps.hpp"
#include <ATen/ATen.h>
#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include "libtorch/libtorch.hpp"
#include "torch_lm/gpu/products.hpp"
#include "torch_lm/model/tensors.hpp"

namespace hone::lm::gpu {
namespace {

constexpr std::int64_t blocks_wanted = 400;  // blocks of threads of `attention` that fill a GPU
constexpr std::int64_t most_shares = 32;
constexpr unsigned attention_threads = 128, draw_threads = 1024;

struct Rule {  // as draw.cu has it
    double temperature, top_p, min_p;
    std::int32_t top_k, unused;
};

// Rows that a graph is made for: 1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 192, ...
std::int64_t rows_for(std::int64_t n) {
    const auto power = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n)));
    return power > 32 && n <= power / 4 * 3 ? power / 4 * 3 : power;
}

std::int64_t blocks_for(std::int64_t n) {
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(n, 64))));
}

std::int64_t blocks_of(const DecodeRow& row) {
    return static_cast<std::int64_t>(row.prompt->blocks().size() + row.answer->blocks().size());
}

// Of a row's blocks, of which a share should have four.
std::int64_t shares_of(std::int64_t groups, std::int64_t rows, std::int64_t blocks) {
    const std::int64_t wanted = up(blocks_wanted, rows * groups);
    return std::clamp<std::int64_t>(std::min(wanted, blocks / 4), 1, most_shares);
}

const void* at_of(const at::Tensor& t) { return t.defined() ? t.const_data_ptr() : nullptr; }

template <class T> void put(const at::Tensor& to, const std::vector<T>& from) {
    at::Tensor room = to.view({-1}).narrow(0, 0, static_cast<std::int64_t>(from.size()));
    room.copy_(view_of(from.data(), room.sizes()));
}

}  // namespace

struct Steps::Rows {
    void *ids, *positions;
    const void *prompts, *first, *table;
    std::int32_t stride;
    const void* cache;
};

struct Steps::Qkv {
    const void *heads, *bias, *q_norm, *k_norm, *rotary;
};

Steps::Steps(const Model& model) : model_(model), kernels_(Kernels::of(model.config, model.place)) {
    const cuda::Driver& driver = cuda::Driver::get();
    driver.check(driver.make_stream(&queue_, cuda::stream_without_default), "cuStreamCreate");
    std::vector<double> frequencies;
    for (std::int64_t i = 0; i < model.config.head_width / 2; ++i)
        frequencies.push_back(model.config.rope_frequency(i));
    frequencies_ = at::tensor(frequencies, at::TensorOptions(at::kDouble)).to(device_of(model.place));
}

Steps::~Steps() { forget(); }

void Steps::forget() {
    for (const auto& [shape, graph] : graphs_) cuda::Driver::get().destroy_runnable(graph);
    graphs_.clear();
}

void Steps::reserve(const Shape& shape) {
    if (shape.rows <= room_.rows && shape.blocks <= room_.blocks) return;
    forget();
    room_ = {std::max(shape.rows, room_.rows), std::max(shape.blocks, room_.blocks)};
    const Config& c = model_.config;
    const std::int64_t n = room_.rows, most_groups = c.heads / kernels_.cut.heads_of_few_rows,
                       least_groups = c.heads / kernels_.cut.heads_of_many_rows;
    const at::TensorOptions here = at::TensorOptions(device_of(model_.place)), ints = here.dtype(at::kInt),
                            numbers = activations_of(model_.place), floats = here.dtype(at::kFloat),
                            doubles = here.dtype(at::kDouble);
    for (at::Tensor* of : {&ids_, &positions_, &prompts_, &first_}) *of = at::zeros({n}, ints);
    table_ = at::zeros({n, room_.blocks}, ints), cache_at_ = at::zeros({1}, here.dtype(at::kLong));
    rules_ = at::zeros({n, sizeof(Rule) / 8}, doubles), uniforms_ = at::zeros({at_once, n}, doubles);
    drawn_ = at::zeros({at_once, n, 2}, ints);
    for (at::Tensor* of : {&x_, &y_, &change_}) *of = at::zeros({n, c.width}, numbers);
    qkv_ = at::zeros({n, c.qkv_width()}, numbers), attended_ = at::zeros({n, c.q_width()}, numbers);
    gate_up_ = at::zeros({n, 2 * c.mlp_width}, numbers), hidden_ = at::zeros({n, c.mlp_width}, numbers);
    logits_ = at::zeros({n, c.vocabulary}, floats), rotary_ = at::zeros({n, c.head_width}, floats);
    const std::int64_t shares = up(blocks_wanted, least_groups) + n;  // of all rows, at most: fewer rows have more each
    partials_ = at::zeros({std::max(shares, most_shares) * c.heads * (c.head_width + 2)}, floats);
    slices_ = at::zeros({n * up(c.vocabulary, slice), 2}, doubles);
    done_ = at::zeros({n * most_groups}, ints);
}

void Steps::upload(const DecodeRow* rows, std::int64_t n, const Shape& shape, const KvCache& cache) {
    std::vector<std::int32_t> ids, positions, prompts, table(static_cast<std::size_t>(shape.rows * shape.blocks));
    std::vector<Rule> rules;
    std::vector<double> uniforms(static_cast<std::size_t>(at_once * shape.rows));
    for (std::int64_t r = 0; r < shape.rows; ++r) {
        const DecodeRow& row = rows[std::min(r, n - 1)];  // those behind the last repeat it
        ids.push_back(row.token), positions.push_back(row.position);
        prompts.push_back(static_cast<std::int32_t>(row.prompt->tokens()));
        rules.push_back({row.rule.temperature, row.rule.top_p, row.rule.min_p, row.rule.top_k, 0});
        auto to = table.begin() + r * shape.blocks;
        for (const KvCache::Stretch* stretch : {row.prompt, row.answer})
            to = std::copy(stretch->blocks().begin(), stretch->blocks().end(), to);
        for (std::int64_t s = 0; s < at_once; ++s) uniforms[s * shape.rows + r] = row.uniforms[s];
    }
    put(ids_, ids), put(positions_, positions), put(first_, positions), put(prompts_, prompts), put(table_, table);
    put(uniforms_, uniforms);
    std::vector<double> words(rules.size() * sizeof(Rule) / 8);
    std::memcpy(words.data(), rules.data(), rules.size() * sizeof(Rule));
    put(rules_, words);
    put(cache_at_, std::vector<std::int64_t>{reinterpret_cast<std::int64_t>(cache.memory().const_data_ptr())});
}

void Steps::launch(cuda::Function kernel, Grid grid, std::initializer_list<const void*> arguments) const {
    grid.early = true;
    kernels_.launch(kernel, grid, queue_, arguments);
}

void Steps::product(at::Tensor& to, const at::Tensor& x, const at::Tensor& by, std::int64_t n) const {
    if (multiply(kernels_, queue_, ProductKind::plain, {at_of(by), at_of(x), at_of(to), n, by.size(1), by.size(0)}))
        return;
    at::Tensor out = to.narrow(0, 0, n);
    at::mm_out(out, x.narrow(0, 0, n), by.t());
}

void Steps::gated_product(const at::Tensor& by, std::int64_t n) {
    const std::int64_t width = model_.config.mlp_width;
    if (multiply(kernels_, queue_, ProductKind::gated, {at_of(by), at_of(y_), at_of(hidden_), n, by.size(1), width}))
        return;
    product(gate_up_, y_, by, n);
    const void *gate_up = at_of(gate_up_), *hidden = at_of(hidden_);
    const auto count = static_cast<std::int32_t>(n);
    launch(kernels_.gate, {up(n * width / 8, 256)}, {&gate_up, &hidden, &count});
}

void Steps::head(const at::Tensor& by, std::int64_t n) {
    if (multiply(kernels_, queue_, ProductKind::wide,
                 {at_of(by), at_of(y_), at_of(logits_), n, by.size(1), by.size(0)}))
        return;
    at::Tensor to = logits_.narrow(0, 0, n);
    if (model_.place.bfloat16) at::mm_out(to, y_.narrow(0, 0, n), by.t(), at::kFloat);
    else at::mm_out(to, y_.narrow(0, 0, n), by.t());
}

void Steps::attend(const Qkv& qkv, std::size_t layer, const Shape& shape, const Rows& rows) const {
    const std::int64_t n = shape.rows, heads = model_.config.heads;
    const Cut& cut = kernels_.cut;
    const bool few = n * heads / cut.heads_of_many_rows < blocks_wanted / 4;
    const std::int64_t groups = heads / (few ? cut.heads_of_few_rows : cut.heads_of_many_rows);
    const std::int64_t shares = shares_of(groups, n, shape.blocks);
    if (n * shares * heads * (model_.config.head_width + 2) > partials_.numel() || n * groups > done_.numel())
        throw std::logic_error("policy.torch-lm: attention has too little memory for its shares");
    const void *out = at_of(attended_), *partials = at_of(partials_), *done = at_of(done_);
    const auto depth = static_cast<std::int32_t>(layer);
    launch(few ? kernels_.attention_of_few_rows : kernels_.attention_of_many_rows,
           {shares, groups, n, attention_threads}, {&rows, &qkv, &out, &depth, &partials, &done});
}

void Steps::layer(const Parameters& weights, std::size_t number, const Shape& shape, const Rows& rows) {
    const LayerWeights& w = weights.layers[number];
    const std::int64_t n = shape.rows;
    const auto norm = [&](const at::Tensor& change, const at::Tensor& weight) {
        const void *x = at_of(x_), *by = at_of(change), *scale = at_of(weight), *y = at_of(y_);
        launch(kernels_.add_norm, {n, 1, 1, kernels_.cut.norm_threads}, {&x, &by, &scale, &x, &y});
    };
    const Qkv qkv{at_of(qkv_), at_of(w.qkv_bias), at_of(w.q_norm), at_of(w.k_norm), at_of(rotary_)};
    norm(number ? change_ : at::Tensor(), w.attention_norm);
    product(qkv_, y_, w.qkv, n);
    attend(qkv, number, shape, rows);
    product(change_, attended_, w.out, n);
    norm(change_, w.mlp_norm);
    gated_product(w.gate_up, n);
    product(change_, hidden_, w.down, n);
}

void Steps::step(const Parameters& weights, const Shape& shape) {
    const std::int64_t n = shape.rows;
    const Rows rows{ids_.mutable_data_ptr(),   positions_.mutable_data_ptr(), prompts_.const_data_ptr(),
                    first_.const_data_ptr(),   table_.const_data_ptr(),       static_cast<std::int32_t>(shape.blocks),
                    cache_at_.const_data_ptr()};
    const void *embedding = weights.embedding.const_data_ptr(), *frequencies = frequencies_.const_data_ptr(),
               *x = x_.const_data_ptr(), *y = y_.const_data_ptr(), *rotary = rotary_.const_data_ptr(),
               *change = change_.const_data_ptr(), *norm = weights.norm.const_data_ptr(),
               *logits = logits_.const_data_ptr(), *rules = rules_.const_data_ptr(),
               *uniforms = uniforms_.const_data_ptr(), *slices = slices_.const_data_ptr(),
               *drawn = drawn_.const_data_ptr();
    launch(kernels_.embed, {n, 1, 1, 128}, {&rows, &embedding, &frequencies, &x, &rotary});
    for (std::size_t l = 0; l < weights.layers.size(); ++l) layer(weights, l, shape, rows);
    launch(kernels_.add_norm, {n, 1, 1, kernels_.cut.norm_threads}, {&x, &change, &norm, &x, &y});
    head(weights.head, n);
    launch(kernels_.measure, {up(model_.config.vocabulary, slice), n, 1, draw_threads}, {&logits, &rules, &slices});
    launch(kernels_.draw, {n, 1, 1, draw_threads}, {&rows, &logits, &rules, &uniforms, &slices, &drawn});
}

// The first time the step also runs as it is, on a block of its own: LibTorch and cuBLAS take their memory then.
cuda::GraphRun Steps::recorded(const Parameters& weights, const Shape& shape, KvCache& cache) {
    if (std::exchange(of_, weights.values.const_data_ptr()) != weights.values.const_data_ptr()) forget();
    if (const auto known = graphs_.find(shape); known != graphs_.end()) return known->second;
    KvCache::Stretch prompt(cache), answer(cache);
    answer.grow(at_once);
    const std::vector<double> uniforms(at_once);
    const DecodeRow idle{0, 0, &prompt, &answer, {.temperature = 0}, uniforms.data()};
    upload(&idle, 1, shape, cache);
    step(weights, shape);
    const cuda::Driver& driver = cuda::Driver::get();
    driver.check(driver.begin_capture(queue_, cuda::capture_relaxed), "cuStreamBeginCapture");
    cuda::Graph graph = nullptr;
    try {
        step(weights, shape);
    } catch (...) {
        driver.end_capture(queue_, &graph);
        throw;
    }
    driver.check(driver.end_capture(queue_, &graph), "cuStreamEndCapture");
    cuda::GraphRun made = nullptr;
    driver.check(driver.make_runnable(&made, graph, 0), "cuGraphInstantiate");
    driver.destroy_graph(graph);
    return graphs_[shape] = made;
}

void Steps::run(const Parameters& weights, const DecodeRow* rows, std::int64_t n, KvCache& cache, TokenDraw* to) {
    finish(model_.place);  // what other queues do to the weights and the cache
    const libtorch::OnQueue here(device_of(model_.place), queue_);
    Shape shape{rows_for(n), 0};
    for (std::int64_t r = 0; r < n; ++r) shape.blocks = std::max(shape.blocks, blocks_of(rows[r]));
    shape.blocks = blocks_for(shape.blocks);
    reserve(shape);
    const cuda::GraphRun graph = recorded(weights, shape, cache);
    upload(rows, n, shape, cache);
    const cuda::Driver& driver = cuda::Driver::get();
    for (std::int64_t s = 0; s < at_once; ++s) driver.check(driver.launch_graph(graph, queue_), "cuGraphLaunch");
    const at::Tensor drawn = drawn_.view({-1}).narrow(0, 0, at_once * shape.rows * 2).cpu();
    static_assert(sizeof(TokenDraw) == 8);
    const auto* from = static_cast<const TokenDraw*>(drawn.const_data_ptr());
    for (std::int64_t r = 0; r < n; ++r)
        for (std::int64_t s = 0; s < at_once; ++s) to[r * at_once + s] = from[s * shape.rows + r];
}

}  // namespace hone::lm::gpu
