#include "verifier_cuda/plan/plan_windows.hpp"
#include <algorithm>

namespace hone::cuda {
namespace {

constexpr std::int64_t most_step = 1 << 20, most_groups = 1 << 20;

// A number for all dimensions, or a list of one for each.
void read_numbers(const Field& args, const char* name, std::uint32_t n, std::int64_t preset, std::int64_t least,
                  std::int64_t (&to)[max_window]) {
    std::fill_n(to, n, preset);
    if (!args.has(name)) return;
    const Field field = args.at(name);
    if (!field.is_table()) return void(std::fill_n(to, n, field.integer(least, most_step)));
    field.only({});
    if (field.count() != n) field.refuse("must be a number or a list of " + std::to_string(n));
    for (std::uint32_t d = 0; d < n; ++d) to[d] = field.element(d).integer(least, most_step);
}

Window read_window(const Field& args, std::uint32_t n) {
    Window window;
    window.rank = n;
    read_numbers(args, "stride", n, 1, 1, window.stride);
    read_numbers(args, "padding", n, 0, 0, window.padding);
    read_numbers(args, "dilation", n, 1, 1, window.dilation);
    read_numbers(args, "output_padding", n, 0, 0, window.output_padding);
    window.groups = args.integer("groups", 1, 1, most_groups);
    return window;
}

void check_channels(const Field& args, const Shape& x, const Shape& w, std::int64_t taken, std::int64_t groups) {
    if (x[1] == taken && w[0] % groups == 0 && x[1] % groups == 0) return;
    args.refuse("weights " + printed(w) + " do not fit channels of " + printed(x) + " in " + std::to_string(groups) +
                (groups == 1 ? " group" : " groups"));
}

// A result without elements is nobody's intention.
std::int64_t extent(const Field& args, std::int64_t n) {
    if (n < 1) args.refuse("the window is larger than what it moves over");
    return n;
}

void need_ranks(const Field& args, const LibraryStep& step, std::uint32_t rank) {
    need_rank(args, step, 0, rank, rank);
    need_rank(args, step, 1, rank, rank);
}

}  // namespace

void need_rank(const Field& args, const LibraryStep& step, std::size_t i, std::uint32_t least, std::uint32_t most) {
    const std::uint32_t rank = step.in[i].rank;
    if (least == 0) least = 2;
    if (rank >= least && rank <= most) return;
    args.element(i).refuse("has " + std::to_string(rank) + (rank == 1 ? " dimension" : " dimensions") + ", must have " +
                           std::to_string(least) + (most > least ? " to " + std::to_string(most) : ""));
}

void need_bias(const Field& args, const LibraryStep& step, std::int64_t channels) {
    const Operand& bias = step.in[2];
    if (bias.bytes && shape_of(bias) != Shape{channels})
        args.element(2).refuse("a bias must have the shape " + printed({channels}) + ", not " +
                               printed(shape_of(bias)));
}

template <std::uint32_t n> Shape convolution(const Field& args, LibraryStep& step) {
    args.only({"stride", "padding", "dilation", "groups"});
    need_ranks(args, step, n + 2);
    const Window& window = step.window = read_window(args, n);
    const Shape x = shape_of(step.in[0]), w = shape_of(step.in[1]);
    check_channels(args, x, w, w[1] * window.groups, window.groups);
    need_bias(args, step, w[0]);
    Shape made = {x[0], w[0]};
    for (std::uint32_t d = 0; d < n; ++d) {
        const std::int64_t room = x[d + 2] + 2 * window.padding[d] - window.dilation[d] * (w[d + 2] - 1) - 1;
        made.push_back(extent(args, room < 0 ? 0 : room / window.stride[d] + 1));
    }
    return made;
}

template <std::uint32_t n> Shape transposed_convolution(const Field& args, LibraryStep& step) {
    args.only({"stride", "padding", "output_padding", "dilation", "groups"});
    need_ranks(args, step, n + 2);
    const Window& window = step.window = read_window(args, n);
    const Shape x = shape_of(step.in[0]), w = shape_of(step.in[1]);
    check_channels(args, x, w, w[0], window.groups);
    need_bias(args, step, w[1] * window.groups);
    Shape made = {x[0], w[1] * window.groups};
    for (std::uint32_t d = 0; d < n; ++d) {
        if (window.output_padding[d] >= std::max(window.stride[d], window.dilation[d]))
            args.refuse("output_padding: must be below stride or dilation");
        made.push_back(extent(args, (x[d + 2] - 1) * window.stride[d] - 2 * window.padding[d] +
                                        window.dilation[d] * (w[d + 2] - 1) + window.output_padding[d] + 1));
    }
    return made;
}

template Shape convolution<1>(const Field&, LibraryStep&);
template Shape convolution<2>(const Field&, LibraryStep&);
template Shape convolution<3>(const Field&, LibraryStep&);
template Shape transposed_convolution<1>(const Field&, LibraryStep&);
template Shape transposed_convolution<2>(const Field&, LibraryStep&);
template Shape transposed_convolution<3>(const Field&, LibraryStep&);

}  // namespace hone::cuda
