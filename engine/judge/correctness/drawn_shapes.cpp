#include "judge/correctness/drawn_shapes.hpp"
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include "domain/extent.hpp"

namespace hone {
namespace {

constexpr int tries = 16, largest_of = 4;
constexpr std::int64_t few_outputs = 4;  // fewer tell little, and an honest one may cancel by chance
constexpr double small_share = 1.0 / 16, long_share = 0.5, most_share = 2.5;  // of the timed shape's bytes
constexpr double spare = 1.1;                                                 // times the shortest of the long shapes
// a device's timed shapes are large, and these are made for one judging alone
constexpr double most_bytes = 16 << 20;
constexpr double least_long = 2.2, most_long = 4;        // times a timed size
constexpr double least_beyond = 1.2, most_beyond = 1.6;  // likewise, where every size is beyond its timed value

struct Range {
    std::int64_t least, most, step;
};

// What a task allows of a size, up to `times` its timed value.
Range range_of(const Task& task, const std::string& size, double times) {
    const std::int64_t step = task.multiples.contains(size) ? task.multiples.at(size) : 1;
    const auto timed = static_cast<double>(timed_shape(task).at(size));
    Range range{step, static_cast<std::int64_t>(times * timed), step};
    if (task.ranges && task.ranges->contains(size)) {
        range.least = std::max(range.least, task.ranges->at(size)[0]);
        range.most = std::min(range.most, task.ranges->at(size)[1]);
    }
    range.least = (range.least + step - 1) / step * step;
    range.most = range.most / step * step;
    return range;
}

// Even in the logarithm: as many between 10 and 20 as between 100 and 200.
std::int64_t draw(const Range& range, Chance& chance) {
    constexpr std::uint64_t fine = 1 << 30;
    const double share = static_cast<double>(chance.below(fine)) / fine;
    const double value = std::exp(std::log(range.least) +
                                  share * std::log(static_cast<double>(range.most) / static_cast<double>(range.least)));
    return std::clamp(static_cast<std::int64_t>(value) / range.step * range.step, range.least, range.most);
}

double bytes_of(const Task& task, const Shape& shape) {
    double bytes = 0;
    for (const char* side : {"inputs", "outputs"})
        for (const TensorSpec& spec : tensors(task, side, shape)) bytes += static_cast<double>(spec.bytes());
    return bytes;
}

bool is_valid(const Task& task, const Shape& shape) {
    for (const char* side : {"inputs", "outputs"})
        for (const TensorSpec& spec : tensors(task, side, shape))
            if (std::any_of(spec.shape.begin(), spec.shape.end(), [](std::int64_t n) { return n < 1; })) return false;
    return true;
}

const std::vector<std::string>& sizes_of(const Task& task) { return task.sizes; }

// Of the size that is long in a shape; empty where the task does not allow as much. `times` is how far others are
// shrunk.
Range long_range(const Task& task, const std::string& size, double times) {
    Range range = range_of(task, size, most_long);
    range.least = std::max(range.least, range_of(task, size, least_long).most + range.step);
    if (range.least <= range.most)
        range.most = std::max(
            range.least, static_cast<std::int64_t>(times * static_cast<double>(range.most)) / range.step * range.step);
    return range;
}

// Of another size.
Range short_range(const Task& task, const std::string& size, double times) {
    Range range = range_of(task, size, times);
    range.most = std::max(range.least, range.most);
    return range;
}

// The least or the largest shape that is long in one size; none where the task does not allow as much.
std::optional<Shape> long_bound(const Task& task, const std::string& long_size, std::int64_t Range::*bound) {
    Shape shape;
    for (const std::string& size : sizes_of(task)) {
        const Range range = size == long_size ? long_range(task, size, 1) : short_range(task, size, 1);
        if (range.most < range.least) return std::nullopt;
        shape[size] = range.*bound;
    }
    return is_valid(task, shape) ? std::optional(shape) : std::nullopt;
}

// Half of the timed shape's bytes, or more where a shape that is long in this size needs it. 0: it would need too much.
double room_for(const Task& task, const std::string& long_size) {
    const auto shortest = long_bound(task, long_size, &Range::least);
    if (!shortest) return 0;
    const double timed = bytes_of(task, timed_shape(task)), most = std::min(most_share * timed, most_bytes),
                 needed = spare * bytes_of(task, *shortest);
    return needed > most ? 0 : std::clamp(needed, std::min(long_share * timed, most), most);
}

// As often between 1/16 and 1/8 of the timed shape's bytes as between 1/2 and all.
double share_between(Chance& chance) {
    constexpr std::uint64_t fine = 1 << 30;
    return std::pow(small_share, static_cast<double>(chance.below(fine)) / fine);
}

std::int64_t fewest_outputs(const Task& task, const Shape& shape) {
    std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
    for (const TensorSpec& spec : tensors(task, "outputs", shape)) fewest = std::min(fewest, spec.elements());
    return fewest;
}

// Whatever is too large is drawn again, from ever less; what has too few outputs is drawn again while there are tries.
// long_size "": none.
std::optional<Shape> draw_shape(const Task& task, const std::string& long_size, double room, Chance& chance) {
    const std::int64_t least = std::min(few_outputs, fewest_outputs(task, timed_shape(task)));
    std::optional<Shape> drawn;
    double times = 1;
    for (int i = 0; i < tries && !(drawn && fewest_outputs(task, *drawn) >= least); ++i) {
        Shape shape;
        for (const std::string& size : sizes_of(task))
            shape[size] =
                draw(size == long_size ? long_range(task, size, times) : short_range(task, size, times), chance);
        if (is_valid(task, shape) && bytes_of(task, shape) <= room) drawn = shape;
        else times *= 0.7;
    }
    return drawn;
}

// Where a task names no hidden shapes: what a vector's width or a block does not fit into.
std::optional<Shape> draw_tiny_shape(const Task& task, Chance& chance) {
    constexpr std::int64_t steps = 16;
    const std::int64_t least = std::min(few_outputs, fewest_outputs(task, timed_shape(task)));
    for (int i = 0; i < tries; ++i) {
        Shape shape;
        for (const std::string& size : sizes_of(task)) {
            Range range = short_range(task, size, 1);
            range.most = std::min(range.most, range.least + steps * range.step);
            shape[size] = draw(range, chance);
        }
        if (is_valid(task, shape) && fewest_outputs(task, shape) >= least) return shape;
    }
    return std::nullopt;
}

// The largest of a few: most that are drawn are small.
std::optional<Shape> draw_large_shape(const Task& task, double room, Chance& chance) {
    std::optional<Shape> largest;
    for (int i = 0; i < largest_of; ++i) {
        const auto shape = draw_shape(task, "", room, chance);
        if (shape && (!largest || bytes_of(task, *shape) > bytes_of(task, *largest))) largest = shape;
    }
    return largest;
}

// Of every size, where all are beyond their timed values at once.
Range beyond_range(const Task& task, const std::string& size, double times) {
    Range range = range_of(task, size, times);
    range.least = std::max(range.least, range_of(task, size, least_beyond).most + range.step);
    return range;
}

// The largest of these; none where the task does not allow as much.
std::optional<Shape> beyond_bound(const Task& task) {
    Shape shape;
    for (const std::string& size : sizes_of(task)) {
        const Range range = beyond_range(task, size, most_beyond);
        if (range.most < range.least) return std::nullopt;
        shape[size] = range.most;
    }
    return is_valid(task, shape) ? std::optional(shape) : std::nullopt;
}

double room_beyond(const Task& task) { return std::min(most_share * bytes_of(task, timed_shape(task)), most_bytes); }

// None where the task does not allow as much.
std::optional<Shape> draw_shape_beyond(const Task& task, Chance& chance) {
    for (double times = most_beyond; times > least_beyond; times -= 0.05) {
        Shape shape;
        for (const std::string& size : sizes_of(task)) {
            const Range range = beyond_range(task, size, times);
            if (range.most < range.least) return std::nullopt;
            shape[size] = draw(range, chance);
        }
        if (is_valid(task, shape) && bytes_of(task, shape) <= room_beyond(task)) return shape;
    }
    return std::nullopt;
}

}  // namespace

std::vector<std::string> long_sizes(const Task& task) {
    std::vector<std::string> sizes = sizes_of(task);
    std::erase_if(sizes, [&](const std::string& size) { return room_for(task, size) == 0; });
    return sizes;
}

std::vector<DrawnBound> drawn_bounds(const Task& task) {
    std::vector<DrawnBound> bounds;
    for (const std::string& size : long_sizes(task))
        bounds.push_back({*long_bound(task, size, &Range::most), static_cast<std::uint64_t>(room_for(task, size))});
    const auto beyond = bounds.size() > 1 ? beyond_bound(task) : std::nullopt;
    if (beyond) bounds.push_back({*beyond, static_cast<std::uint64_t>(room_beyond(task))});
    return bounds;
}

std::vector<Shape> draw_shapes(const Task& task, Chance& chance) {
    std::vector<Shape> shapes;
    if (sizes_of(task).empty()) return shapes;
    const double timed = bytes_of(task, timed_shape(task)), between = share_between(chance);
    const auto add = [&](const std::optional<Shape>& shape) {
        if (shape) shapes.push_back(*shape);
    };
    const std::vector<std::string> sizes = long_sizes(task);
    const bool several = sizes.size() > 1;
    enum { small, large, beyond };
    const std::uint64_t kind = chance.below(3);
    if (!several || kind == small) add(draw_shape(task, "", std::min(small_share * timed, most_bytes), chance));
    const auto all_beyond = several && kind == beyond ? draw_shape_beyond(task, chance) : std::nullopt;
    add(all_beyond);
    if (!several || kind == large || (kind == beyond && !all_beyond))
        add(draw_large_shape(task, std::min(between * timed, most_bytes), chance));
    for (const std::string& size : sizes) add(draw_shape(task, size, room_for(task, size), chance));
    if (task.hidden.empty()) add(draw_tiny_shape(task, chance));
    return shapes;
}

}  // namespace hone
