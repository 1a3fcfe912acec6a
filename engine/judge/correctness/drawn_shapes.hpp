// judge/correctness/drawn_shapes.hpp: shapes for one judging alone. Those of a task file are few and public, so a
// program may be right at them only; these nobody knows before.
#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include "base/chance.hpp"
#include "domain/task.hpp"

namespace hone {

// One that is small, between that and the timed one, or beyond the timed one in every size (1.2 to 1.6 times, up to 2.5
// times the bytes; one between where that is more than 16 MiB), each as often; and for each size that can be long a
// shape in which this size is. Of a task with at most one such size: a small one, one between, and a long one. A long
// size has 2.2 to 4 times its timed value, and the others are less: all of it takes at most half of the timed shape's
// bytes; where the task has no other size, or this one enters squared, up to 2.5 times as many; at most 16 MiB. Every
// size keeps to the task's `multiples` and `ranges`. Where the timed shape has outputs of at least 4 elements, a drawn
// one has as many, if 16 tries find such a shape: products of bf16 factors were refused in 1 to 10 of 100 judgements at
// outputs of 1 to 3 elements, which cancel by chance. Fewer shapes where a task has no room for them.
std::vector<Shape> draw_shapes(const Task&, Chance&);

// Which sizes may be the long one.
std::vector<std::string> long_sizes(const Task&);

// No drawn shape has larger tensors than one of these shapes, nor more bytes in all tensors together than stand beside
// it.
struct DrawnBound {
    Shape shape;
    std::uint64_t bytes;
};
std::vector<DrawnBound> drawn_bounds(const Task&);

}  // namespace hone
