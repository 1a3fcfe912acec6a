// judge/correctness/truth.hpp: what an output must be: the task's definition in float64, and how far from it an honest
// program may be.
//
// What is allowed is the error that the reference itself makes in the task's precision on the same inputs, plus a small
// epsilon of the tolerance class. No bare absolute tolerance: it would pass zeros. Errors are relative to the size of
// what lies around them:
//   local_scale_i = max(median |y| of the 64 neighbours of i, usual, u rms of i's row)
//              usual: the lesser of rms and median |y| of all non-zero elements; on one side of zero
//              (Variant::one_sided) at least as it is on inputs as declared
//              row: the last dimension (in one dimension the neighbours)
//   d_i      = |error_i| / (|y_i| + local_scale_i),   d_ref likewise of the reference
//   d_i      <= 10 max(d_ref) + 10 epsilon                                       for every i
//   rms(d)   <= 3 rms(d_ref) + epsilon of the mean                               (a usual element counts twice)
//   rms(error) <= 0.1 rms(y - mean y), where three times the reference's error is below that: a constant explains
//              nothing; else, of f16 and bf16, <= 3 rms(error of the reference), from 64 elements on: there an output's
//              own rounding may be as large as what varies in it (a product of positive factors)
// Why medians: with rms(y) as everybody's scale, a few huge elements would excuse any error in the others. Why not
// |y_i| alone: an element that is small because large terms cancel has the error of those terms; the usual element
// tells their size, and the neighbours tell it where a row's terms are all larger (a running sum behind a huge
// element). Six deviations below zero a sigmoid as (1 + tanh(x/2)) / 2 has lost most digits of its own size, and none
// of its size on usual inputs, which a maximum that begins with 0 misses by far. Where most elements are tiny beside
// few large ones (softmax), they are held to their own size, but not beyond what the format's unit roundoff u leaves of
// their row.
//
// NaN and infinity: where truth and reference agree on one, the output must be just that; where only one of them has it
// (the precision overflows, say), the contract is silent: the element must be written, nothing more. Whole numbers are
// compared exactly.
//
// Truths lie in the memory in which answers lie, and are compared there (hone/memory.hpp): hone/checks.h has the rule
// of an element, this file what is allowed.
#pragma once
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>
#include "domain/task.hpp"
#include "hone/memory.hpp"
#include "judge/correctness/inputs.hpp"

namespace hone {

// "f32", "tf32", "f16", "bf16" or "f64".
std::string tolerance_class(const Task&);
// The epsilons of the rules above.
struct Epsilon {
    double element, mean;
    double few = 0;  // above 0, of f16 and bf16: the least mean where fewer than 64 elements are compared
    // more for an element, and half of that for the mean, where the reference's own answer is not exact
    double inexact = 0;
    // Above 0, of f16 and bf16: so many times as much for a roundoff that the reference loses.
    double narrow = 0;
    bool explains = true;  // whether the third rule is asked
    // Of inputs far from zero. The third rule is not asked then: a sum's rounding may be as large as what varies in it.
    struct Far {
        double distance;          // in deviations
        double rounding, serial;  // errors of one rounding at the distance, and of a mean in series there
        bool slabs;               // some rows alone are far, and the mean has a rule of its own
        bool exact;               // the reference computes as the truth does: what it loses tells nothing
    };
    std::optional<Far> far = std::nullopt;
    Epsilon(double of_element, double of_mean) : element(of_element), mean(of_mean) {}
    // NOLINT(google-explicit-constructor): a class whose mean has no rule of its own
    Epsilon(double both) : element(both), mean(both / 2) {}
};

// At one shape: by the task's tolerance class ("f32", "tf32", "f16", "bf16", "f64") times its factor. n: terms of the
// longest sum that an element takes part in, each of which is rounded (2^14 where a task does not tell); u: the
// format's unit roundoff; D: the distance of inputs far from zero.
//
// f32 and f64:
// - An element: u (12 + 4 sqrt(n)); the mean half of that. A task's `roundings` stand for the 12: of what transforms
//   its inputs first, as Winograd's convolution does, which rounds more beside huge inputs. Beside outliers they count
//   four times: with 1000 every sixteenth judging refused an F(4x4, 3x3), whose tiles two outliers met in.
// - Inputs as declared, the mean of many rows: u (6 + 0.3 sqrt(n)), more than that of n terms summed one after the
//   other; of `roundings` beyond 12 a fortieth counts.
// - Far from zero (Variant::far, and Variant::slabs in an eighth of the rows): a value at D may be rounded once more,
//   in Variant::far also in the mean, since a channel's elements share the rounding of its mean. And all is
//   256 rms(d_ref) / element as much, at least once and at most D / 4 times: in a product nothing is lost there, and
//   little is allowed; where a far mean is subtracted, a variance as E[x^2] - m^2 does not pass. A mean that is summed
//   or updated in series errs by 0.06 u D sqrt(n) in slabs (Welford's update at n = 64 to 4096; the worst of 25 at 4096
//   by 0.13), a single one by more: 0.2 u D sqrt(n) is allowed in Variant::far, which is never timed, where the
//   reference loses 0.05 u D or more, and less by the cube of what it loses.
// - Slabs, the mean of many rows: such calls are timed, and two elements give a slab away. Three times what it is on
//   inputs as declared, lest one product of bf16 do for slabs; or, for a mean in series, 0.2 u D sqrt(n) where the
//   reference loses 0.3 `element` or more, and less by the cube of what it loses. A product's own rounding is a
//   twentieth. A reference that sums in float64 loses nothing, and excuses nothing; in
//   class f64, where it computes as the truth does, what it loses tells nothing, and all of this is allowed.
// - Whole numbers: sums and products are exact, but the terms of other sums (exponentials, squared differences from a
//   mean) have nine different sizes alone, so that their roundings add up: serial sums were seen to err by n/25 u.
//   Beside special values half of the terms are those of zeros. Where the reference is not exact on such inputs either,
//   `element` is u n/8 more and the mean u n/16.
//
// f16 and bf16 allow factors to be rounded:
// - Where large terms cancel (far from zero a column whose sum is near zero; two outliers that meet) that error grows
//   as the reference's own. In Variant::far and Variant::outliers, which are never timed, the mean is 14 / sqrt(n)
//   times as much for each of the output's roundoffs in rms(d_ref), and the element also for each 8 of them in
//   max(d_ref), at least once and at most 16 times. (A sum in series loses as much as makes it 2.5 times.) Far from
//   zero the third rule is not asked.
// - The mean of fewer than 64 finite elements may be the epsilon itself: with half of that one honest product of 16
//   elements in 50 was refused, and one of four elements in 10.
Epsilon tolerance_epsilon(const Task&, const Shape&, Variant);

// What an answer to one output is held to.
struct Bounds {
    hone_allowed each{};                                         // element
    double mean = 0;                                             // of rms(d)
    double variation = std::numeric_limits<double>::infinity();  // of rms(error); infinite: the third rule is not asked
};
bool is_within(const Bounds&, const hone_errors&);

// The truth of one output, by its addresses. Elements of which the contract says nothing are HONE_SILENT; whole numbers
// have no local scale.
struct Truth {
    TensorSpec spec;
    std::uint64_t values = 0, local_scale = 0;
    Bounds bounds;
    double usual = 0;            // size of an element, for local_scale; complete() finds it, and takes no less
    double rms = 0;              // of the elements compared
    std::uint64_t compared = 0;  // elements: those of which the contract says a finite number
    hone_comparison comparison() const { return {values, local_scale, bounds.each, 0, 0}; }
};

// Finds local scale and bounds of a truth whose float64 values are in place. eager: the reference's own answer; tally:
// room for a hone_errors.
// input_rms: of the inputs. An output of fewer than 4 elements has no neighbours that tell how large the terms were
// that cancelled in it: the loss of one row that hits its class is 1e-4 and has the error of logits of 80. Where one is
// smaller than half of its inputs' rms, all count as that large.
void complete(Memory&, Truth&, const hone_tensor& eager, const Epsilon&, double input_rms, std::uint64_t tally);
bool is_lone(const TensorSpec&);  // whether input_rms matters

// A truth that was fetched, for what is told of wrong elements.
struct FetchedTruth {
    TensorSpec spec;
    std::vector<double> values, local_scale;
    Bounds bounds;
    double rms = 0;

    bool is_silent(std::size_t i) const { return hone_is_silent(values[i]); }
    double scale_of(std::size_t i) const;  // that error i is relative to
    hone_look look_at(std::size_t i, double got) const;
    hone_comparison comparison() const;  // with answers in this process's memory
};
FetchedTruth fetch(Memory&, const Truth&);

// The steps of complete().
struct ErrorSums {
    double compared, squares, relative, worst;  // as hone_errors has them, of the reference's own answer
    double deviation;                           // of the truth's elements
    double roundoff = 0x1p-24;                  // of the output's format
};
Bounds allow(const ErrorSums&, const Epsilon&, double least, bool many);
// So many rows, or elements where there is one dimension, that their mean error is not a matter of luck. (Elements of a
// row may share one, as in a running sum.)
bool has_many(const std::vector<std::int64_t>& shape);
double least_error(int dtype);  // allowed whatever the size
double roundoff(int dtype);     // of the format

}  // namespace hone
