// judge/compare.hpp: is an output right? Truth is the task's definition in float64; the yardstick is the error that the reference itself
// makes in the task's precision on the same inputs, plus a small epsilon of the tolerance class. No bare absolute tolerance: it would pass
// zeros.
//
// Rules for floating-point outputs, y the truth, e_ref the reference's error, rms over all elements that have a finite truth:
//   rms(error)    <= 3 rms(e_ref) + epsilon rms(y)
//   |error_i|     <= (10 max_j(|e_ref_j| / (|y_j| + rms(y))) + 10 epsilon) (|y_i| + rms(y))      for every i
//   rms(error)    <= 0.1 rms(y - mean y), where the reference itself keeps to that: a constant explains nothing
// Whole numbers are compared exactly.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>
#include "domain/judgement.hpp"
#include "domain/task.hpp"

namespace hone {

// epsilon of the rules above for one output: by the task's tolerance class ("f32", "tf32", "f16", "bf16", "f64") times its factor.
double tolerance_epsilon(const Task&);

// One output's truth with its yardstick. Elements whose truth or reference is not finite are NaN: they must be written, nothing more.
struct Truth {
    std::string name;            // of the output
    int dtype = 0;
    std::vector<double> values;
    double rms = 0, rms_allowed = 0, relative_allowed = 0;
    double centred_allowed = 0;  // infinity where the third rule cannot be asked
};

// truth: float64 values; eager: the reference's own answer, as numbers.
Truth make_truth(const TensorSpec& output, std::vector<double> truth, const std::vector<double>& eager, double epsilon);

struct Mismatch { Verdict verdict; std::string reason; };

// Compares a whole output; `got` holds its bytes, `untouched` the bytes it was poisoned with (empty: it was not). The reason names the
// output and the size of the error as a power of ten of the output's own size, never a value. where: "at the timed shape, inputs as
// declared".
std::optional<Mismatch> compare(const Truth&, const std::string& got, const std::string& untouched, const std::string& where);

// The same for some elements: got[k] stands at positions[k].
bool agrees_at(const Truth&, const std::vector<std::size_t>& positions, const std::vector<double>& got);

}  // namespace hone
