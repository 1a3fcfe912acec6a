// judge/correctness/inputs.hpp: what a candidate is fed: values that follow from a key (hone/inputs.h), in several
// distributions.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include "domain/task.hpp"
#include "hone/memory.hpp"

namespace hone {

enum class Variant {
    // the task's own laws
    declared,
    // ten times as wide and shifted by one deviation: finds overflow, lost maxima, constants tuned to the law
    wider,
    // as declared, but one input 2^24 times as large: finds what is computed in a format of less range
    larger,
    // -4 .. 4: sums and products of inputs are exact, and where the reference is, rounding cannot excuse an error;
    // where a law has a shift, around a hundred times the shift, where squares may round
    integers,
    // as declared, with about 16 elements 128 times as large, the first and the last among them: finds what is
    // estimated from a part of the data, skipped ends, and errors of ordinary elements that hide behind large ones
    outliers,
    // as declared, with many zeros of both signs and numbers below the normal ones, in large tensors one NaN and one
    // infinity of each sign, and where the task tells of sums samples, channels and rows of a largest input that are
    // all zeros or 2^30 times as small: finds what divides by a sum of squares, a deviation or a range of nothing
    special,
    // as declared, but the largest input lies far_distance from zero: finds differences of large sums (a variance as
    // E[x^2] - m^2)
    far,
    // as declared, but laws around zero lie six deviations above it, or all below it (at the timed shape below, and in
    // f32 and f64 2^24 times as large, where `larger` lies above): finds maxima that begin with 0, or with -1000
    one_sided,
    // as declared, with one element of one input changed much: for the call after the same inputs without the change
    touched,
    // as declared, with a few neighbours in one input that are far from all others, on both sides: for calls that are
    // timed
    strays,
    // as declared, but samples, channels and rows of a largest input as far from zero as in `far`: for calls that are
    // timed
    slabs,
    // as declared, but each law that lies on one side of zero around zero: sums of positive terms are so large that few
    // bits of a term are seen in them; for calls that are timed
    centred,
    // every element one of the two numbers of its index law that lie furthest from zero: finds sums in fewer bits than
    // they may need; of tasks of whole numbers alone
    furthest
};
const char* variant_word(Variant);  // "declared": stable, for programs
const char* variant_name(Variant);  // "as declared": for reasons

// The variants that make sense for a task: `declared` and, where any law may change, `wider`, `larger` (where one is
// f32 or f64, unless the task says no), `outliers`, `special` (unless the task leaves out all of it), `integers`
// (unless the task says no) and `far` (in f32 and f64, where the task tells of sums) or else `one_sided` (where a law
// lies around zero). Of tasks of whole numbers alone `declared` and `furthest`. Not `touched`, which goes with a set of
// `declared`, nor `strays`, `slabs` and `centred`.
std::vector<Variant> variants(const Task&);
bool may_vary(const TensorSpec&);  // whether an input may have other values than its law's
// Whether values far from zero make sense: differences of large sums need a sum; of tanh and the like nothing is left
// to compare there.
bool tells_of_sums(const Task&);
// How far, in deviations: the more, the further apart are E[x^2] - m^2 (by its square) and a mean in serial sums. Where
// precision is that of a narrow format, terms must keep some of their digits. A drawn shape may have longer sums.
float far_distance(const Task&, const Shape& sizes);
bool has_room_for_nonfinite(const std::vector<TensorSpec>&);  // whether `special` puts NaN or infinities into an input
bool can_have_slabs(const Task&);                             // whether a largest input may
bool can_be_centred(const Task&);  // whether an input lies on one side of zero, and the task tells of sums
bool can_stray(const Task&);       // whether an input may have such neighbours
bool can_touch(const Task&);       // whether an element of an input has another value to take

// One input: a law, which a verifier can follow on its device from the key, slabs that have another one, and the few
// elements that are something else.
struct Input {
    struct Slab {  // neighbouring elements
        std::uint64_t first, count;
        std::uint32_t number;  // of the stream that its values come from
        hone_law law;
    };
    struct Patch {
        std::uint64_t element;
        float value;
    };
    hone_law law;  // with flags of hone/inputs.h
    std::vector<Slab> slabs;
    std::vector<Patch> patches;
};

// All inputs of a shape. Element i of input t follows from (key, t, i) and the number of elements alone, rounded to the
// dtype. A law says where values lie, not that no others exist, unless its tensor is strict: that one is left alone in
// every variant, and so are indices but in `furthest`. `touched` changes them as well, to another value of their law.
// sizes: of the shape; nullopt: of the timed one.
std::vector<Input> make_inputs(const Task&, const std::vector<TensorSpec>&, std::uint64_t key, Variant,
                               const std::optional<Shape>& sizes = std::nullopt);

// One of them, put in its place. tensor: which input.
void put_input(Memory&, const hone_tensor& to, const Input&, std::uint64_t key, std::uint32_t tensor);
std::string input_bytes(const TensorSpec&, const Input&, std::uint64_t key, std::uint32_t tensor);  // the same

}  // namespace hone
