// domain/task.hpp: a task as data. A task file (Lua) is evaluated by lua/task_file into this; every process sees the
// same document.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>
#include "base/json.hpp"
#include "hone/inputs.h"

namespace hone {

// One instance: a definition at one timed shape. "softmax" is the first shape of its file, "softmax:512x1024" another.
// The document's keys:
//   name       "softmax" or "softmax:512x1024"            suite      "cpu-basics"
//   role       "train" | "auxiliary" | "held-out"         statement  what to compute, for people and language models
//   spec       short text for tiny models, "softmax 256x512"
//   inputs     [{name, dtype, shape: ["R", "2*C", "H+2", 3], law: "normal" | "normal(30)" | "uniform(2,1)" | "integer"
//              | "index(V)",
//              constant: bool, strict: bool}]
//   outputs    [{name, dtype, shape}]
//   sizes      ["R", "C"]: order in which a candidate receives them        shape  {R: 256, C: 512}: the timed one
//   hidden     [{R: 37, C: 64}, ...]: verified only        multiples {C: 64}: what every shape, hidden too, keeps to
//   ranges     {C: [64, 4096]}: least and most of a size in shapes that a judge draws (absent: up to four times the
//              timed one)
//   terms      ["C", 9]: factors of how many terms the longest sum behind an element has (absent: unknown)
//   tolerance  "f32" (class) or {class, factor, roundings, deterministic}   integers, larger false: no such inputs here
//              (judge/correctness/inputs.hpp)   special {without: ["nan"], because: ".."}
//   source     the Lua text; index: which of its tasks, from 1    hash      sha256 of everything that decides a verdict
//   definition the lines of source that hold the reference: what a prompt may show
//   flops, bytes: least work at the timed shape (numbers; absent: unknown)
struct Task {
    Json doc;
    const std::string& name() const { return doc.at("name").get_ref<const std::string&>(); }
    const std::string& hash() const { return doc.at("hash").get_ref<const std::string&>(); }
};

struct TensorSpec {
    std::string name;
    int dtype;                        // HONE_F32 ...
    std::vector<std::int64_t> shape;  // numbers, for one shape of the task
    std::string law;                  // inputs only; sizes filled in: "index(512)"
    bool constant = false;            // inputs only: a weight, which a program may prepack (judge/call/prepack.hpp)
    bool strict = false;              // inputs only: no other values exist than the law's (a variance, a divisor)
    std::int64_t elements() const;
    std::size_t bytes() const;
};

using Shape = std::map<std::string, std::int64_t>;

std::vector<TensorSpec> tensors(const Task&, const char* side /* "inputs" | "outputs" */, const Shape&);
std::vector<std::int64_t> sizes(const Task&, const Shape&);
Shape timed_shape(const Task&);
std::vector<Shape> hidden_shapes(const Task&);
bool must_repeat(const Task&);                          // the same inputs give the same bits
bool leaves_out(const Task&, const std::string& kind);  // of special values: "zero", "denormal", "inf", "nan"
// of the longest sum behind an element; nullopt: the task does not tell
std::optional<double> sum_terms(const Task&, const Shape&);
int parse_dtype(const std::string&);  // "f32" -> HONE_F32; throws Error(input)
std::size_t dtype_bytes(int dtype);
// "normal", "normal(scale)", "uniform(scale,shift)", "integer", "index(n)"; throws Error(input)
hone_law parse_law(const std::string&);

// Throws Error(input) naming task and field if the document is not a task; fills defaults, sizes and the hash. Keys of
// others may ride along: brief (the verifier's words, for prompts), baselines, fake (what its programs do on the fake
// device).
Task check_task(Json doc);

}  // namespace hone
