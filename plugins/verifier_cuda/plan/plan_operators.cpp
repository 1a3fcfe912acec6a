#include "verifier_cuda/plan/plan_operators.hpp"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include "verifier_cuda/plan/plan_operands.hpp"
#include "verifier_cuda/plan/plan_windows.hpp"

namespace hone::cuda {
namespace {

double real(const Field& args, const char* name, double preset) {
    if (!args.has(name)) return preset;
    const Field field = args.at(name);
    if (!field.is_number()) field.refuse("must be a number");
    return field.value().get<double>();
}

// Matrices, or lists of as many matrices: [..., M, K] and [..., K, N] make [..., M, N].
Shape product(const Field& args, const Operand& a, const Operand& b) {
    const Shape left = shape_of(a), right = shape_of(b);
    const bool lists = left.size() == right.size() && std::equal(left.begin(), left.end() - 2, right.begin());
    if ((right.size() != 2 && !lists) || left.back() != right[right.size() - 2])
        args.refuse("no product of " + printed(left) + " and " + printed(right));
    Shape made = left;
    made.back() = right.back();
    return made;
}

template <std::uint32_t left, std::uint32_t right> Shape matmul(const Field& args, LibraryStep& step) {
    args.only({});
    need_rank(args, step, 0, left, left ? left : max_rank);
    need_rank(args, step, 1, right, right ? right : max_rank);
    return product(args, step.in[0], step.in[1]);
}

// What is added may lack dimensions or have 1 in place of them.
void check_spread(const Field& args, const Operand& operand, const Shape& to) {
    const Shape from = shape_of(operand);
    const auto fits = [](std::int64_t n, std::int64_t wanted) { return n == 1 || n == wanted; };
    if (from.size() > to.size() || !std::equal(from.rbegin(), from.rend(), to.rbegin(), fits))
        args.element(0).refuse(printed(from) + " cannot be added to " + printed(to));
}

template <std::uint32_t rank> Shape add_matmul(const Field& args, LibraryStep& step) {
    args.only({"alpha", "beta"});
    step.alpha = real(args, "alpha", 1);
    step.beta = real(args, "beta", 1);
    need_rank(args, step, 1, rank, rank);
    need_rank(args, step, 2, rank, rank);
    const Shape made = product(args, step.in[1], step.in[2]);
    check_spread(args, step.in[0], made);
    return made;
}

Shape linear(const Field& args, LibraryStep& step) {
    args.only({});
    need_rank(args, step, 0, 2, max_rank);
    need_rank(args, step, 1, 2, 2);
    Shape made = shape_of(step.in[0]);
    const Shape weight = shape_of(step.in[1]);
    if (made.back() != weight[1]) args.refuse("no layer of " + printed(weight) + " for " + printed(made));
    made.back() = weight[0];
    need_bias(args, step, weight[0]);
    return made;
}

// Queries [B, H, L, E], keys [B, H, S, E], values [B, H, S, V].
Shape attention(const Field& args, LibraryStep& step) {
    args.only({"is_causal", "scale"});
    for (std::size_t i = 0; i < 3; ++i) need_rank(args, step, i, 4, 4);
    const Shape q = shape_of(step.in[0]), k = shape_of(step.in[1]), v = shape_of(step.in[2]);
    const bool fits = q[0] == k[0] && q[1] == k[1] && q[3] == k[3] && k[0] == v[0] && k[1] == v[1] && k[2] == v[2];
    if (!fits) args.refuse("no attention of " + printed(q) + ", " + printed(k) + " and " + printed(v));
    step.causal = args.flag("is_causal");
    step.scale = real(args, "scale", 1 / std::sqrt(static_cast<double>(q[3])));
    return {q[0], q[1], q[2], v[3]};
}

struct Rule {
    const char* name;
    Operator what;
    std::size_t least, most;                         // tensors
    Shape (*make)(const Field& args, LibraryStep&);  // the shape of its result
};
constexpr Rule rules[] = {
    {"addmm", Operator::add_matmul, 3, 3, add_matmul<2>},
    {"baddbmm", Operator::add_matmul, 3, 3, add_matmul<3>},
    {"bmm", Operator::matmul, 2, 2, matmul<3, 3>},
    {"conv1d", Operator::convolution, 2, 3, convolution<1>},
    {"conv2d", Operator::convolution, 2, 3, convolution<2>},
    {"conv3d", Operator::convolution, 2, 3, convolution<3>},
    {"conv_transpose1d", Operator::transposed_convolution, 2, 3, transposed_convolution<1>},
    {"conv_transpose2d", Operator::transposed_convolution, 2, 3, transposed_convolution<2>},
    {"conv_transpose3d", Operator::transposed_convolution, 2, 3, transposed_convolution<3>},
    {"linear", Operator::linear, 2, 3, linear},
    {"matmul", Operator::matmul, 2, 2, matmul<0, 0>},
    {"mm", Operator::matmul, 2, 2, matmul<2, 2>},
    {"scaled_dot_product_attention", Operator::attention, 3, 3, attention},
};

const Rule& rule_of(const Field& step) {
    const std::string& name = step.at("torch").text();
    const auto* found =
        std::find_if(std::begin(rules), std::end(rules), [&](const Rule& rule) { return name == rule.name; });
    if (found == std::end(rules)) step.refuse("is not offered; operators are: " + operator_names());
    return *found;
}

void read_arguments(const Field& args, const Rule& rule, const PlanMemory& memory, LibraryStep& step) {
    const std::size_t n = args.count();
    if (n < rule.least || n > rule.most)
        args.refuse(std::string(rule.name) + " takes " + std::to_string(rule.least) +
                    (rule.most > rule.least ? " or " + std::to_string(rule.most) : "") + " tensors, " +
                    std::to_string(n) + " are given");
    for (std::size_t i = 0; i < n; ++i) {
        const Field field = args.element(i);
        step.in[i] = read_operand(field, memory, memory.find(field.is_table() ? field.at("1") : field));
        if (step.in[i].dtype != step.in[0].dtype)
            field.refuse("its elements have another type than those of argument 1");
    }
}

void check_out(const Field& field, const Rule& rule, const LibraryStep& step, const Shape& made) {
    const Operand& out = step.out;
    if (out.dtype != step.in[0].dtype) field.refuse("its elements have another type than the arguments");
    if (shape_of(out) != made)
        field.refuse("has the shape " + printed(shape_of(out)) + ", " + rule.name + " makes " + printed(made));
    const bool channels_last = rule.what == Operator::convolution && is_channels_last(out);
    if (!is_row_major(out) && !channels_last) field.refuse("strides: must be those of a dense tensor");
    for (const Operand& in : step.in)
        if (in.bytes && overlap(in, out)) field.refuse("shares memory with an argument");
}

}  // namespace

LibraryStep read_library_step(const Field& field, const PlanMemory& memory, std::uint32_t out) {
    field.only({"torch", "args", "out"});
    const Rule& rule = rule_of(field);
    LibraryStep step;
    step.what = rule.what;
    std::strcpy(step.name, rule.name);
    const Field args = field.at("args"), to = field.at("out");
    read_arguments(args, rule, memory, step);
    step.out = read_operand(to, memory, out);
    check_out(to, rule, step, rule.make(args, step));
    return step;
}

std::string operator_names() {
    std::vector<std::string> names;
    for (const Rule& rule : rules) names.emplace_back(rule.name);
    return listed(names);
}

}  // namespace hone::cuda
