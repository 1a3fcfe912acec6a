// domain/task.hpp: a task as data. A task file (Lua) is evaluated by lua/task_file into this; every process sees the
// same document.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>
#include "base/json.hpp"
#include "domain/document.hpp"
#include "domain/extent.hpp"
#include "hone/inputs.h"

namespace hone {

struct TaskTensor {
    std::string name, dtype = "f32";
    std::vector<Extent> shape;
    std::optional<std::string> law;
    std::optional<bool> constant, strict, scalar;
    std::optional<std::string> starts_as;

    static constexpr const char *title = "hone.Tensor", *about = "An input or an output of a task.";
    static constexpr auto table() {
        using S = TaskTensor;
        return std::tuple{
            key("name", &S::name, "a C variable"),
            key("dtype", &S::dtype, "\"f64\", \"f32\", \"f16\", \"bf16\", \"i64\", \"i32\", \"i8\", \"u8\", \"bool\""),
            key("shape", &S::shape, "entries: a number, or a size with a factor and a summand, \"2*R-1\""),
            key("law", &S::law, "of an input: \"normal(3)\", ... (docs/tasks.md, \"Laws of inputs\")"),
            key("constant", &S::constant, "of an input: a weight, which a program may prepack"),
            key("strict", &S::strict, "of an input: no other values exist than the law's (a variance, a divisor)"),
            key("scalar", &S::scalar, "of an input: one number, which a program gets by value; its shape is empty"),
            key("starts_as", &S::starts_as,
                "of an output: the input whose values it holds when a call begins; that input is no argument")};
    }
};

struct Tolerance {
    std::string of_class = "f32";
    std::optional<double> factor, roundings;
    std::optional<bool> deterministic;

    static constexpr const char *title = "hone.Tolerance", *about = "How far an answer may be off.";
    static constexpr auto table() {
        using S = Tolerance;
        return std::tuple{
            key("class", &S::of_class,
                "\"f64\" (preset where outputs are f64), \"f32\" (preset), \"tf32\", \"f16\" or \"bf16\""),
            key("factor", &S::factor, "ratio", "multiplies the allowed error; absent: 1"),
            key("roundings", &S::roundings, "replaces the 12 of the rule for sums"),
            key("deterministic", &S::deterministic, "false: equal inputs need not give equal bits")};
    }
};

struct SpecialValues {
    std::vector<std::string> without;
    std::string because;

    static constexpr const char *title = "hone.SpecialValues", *about = "Special values on which a contract is silent.";
    static constexpr auto table() {
        using S = SpecialValues;
        return std::tuple{key("without", &S::without, "\"zero\", \"denormal\", \"inf\", \"nan\""),
                          key("because", &S::because, "why")};
    }
};

// One instance: a definition at one timed shape. "softmax" is the first shape of its file, "softmax:512x1024" another.
struct Task {
    std::string instance, suite, role = "train", statement, spec;
    std::vector<TaskTensor> inputs, outputs;
    std::vector<std::string> sizes;
    Shape shape;
    std::vector<Shape> hidden;
    Shape multiples;
    std::optional<std::map<std::string, std::vector<std::int64_t>>> ranges;
    std::optional<std::vector<Extent>> terms;
    Tolerance tolerance;
    bool integers = true, larger = true;
    std::optional<SpecialValues> special;
    std::optional<double> flops, bytes;
    std::string source, definition;
    std::int64_t index = 1;
    std::optional<std::string> verifier;
    std::optional<std::map<std::string, std::string>> baseline_program;
    std::optional<Json> device, baselines, brief;
    std::string digest;

    const std::string& name() const { return instance; }
    const std::string& hash() const { return digest; }

    static constexpr const char *title = "hone.Task", *about = "A task at one timed shape.";
    static constexpr auto table() {
        using S = Task;
        return std::tuple{
            key("name", &S::instance, "instance, \"softmax:512x1024\"; \"softmax\" is the first shape of its file"),
            key("suite", &S::suite, "may be empty"),
            key("role", &S::role, "\"train\", \"auxiliary\", \"held-out\" or \"flawed\""),
            key("statement", &S::statement, "what to compute, for people and language models"),
            key("spec", &S::spec, "short text for tiny models, \"softmax 256x512\""),
            key("inputs", &S::inputs, "in the order of the program's arguments (hone/arguments.hpp)"),
            key("outputs", &S::outputs, "likewise, after the inputs"),
            key("sizes", &S::sizes, "names, in the order in which a program receives them"),
            key("shape", &S::shape, "the timed one"),
            key("hidden", &S::hidden, "shapes that are verified and not timed; for a judging with those drawn for it"),
            key("multiples", &S::multiples, "what every shape keeps to"),
            key("ranges", &S::ranges, "least and most of a size in every shape"),
            key("terms", &S::terms, "factors of how many terms the longest sum behind an element has; absent: unknown"),
            key("tolerance", &S::tolerance, "how far an answer may be off"),
            key("integers", &S::integers, "whole numbers make sense as inputs"),
            key("larger", &S::larger, "an input may be 2^24 times as large"),
            key("special", &S::special, "special values on which the contract is silent"),
            key("flops", &S::flops, "operations", "the least of any algorithm at the timed shape"),
            key("bytes", &S::bytes, "bytes", "the least to be moved at the timed shape"),
            key("source", &S::source, "text of the task file"),
            key("definition", &S::definition, "the lines of source that hold the reference: what a prompt may show"),
            key("index", &S::index, "which of the tasks of source, from 1"),
            key("verifier", &S::verifier, "id of the verifier that judges this task unless another is named"),
            key("device", &S::device, "data for that verifier"),
            key("baseline_program", &S::baseline_program,
                "by kind of device: the program there that times are compared with, in place of the reference"),
            key("baselines", &S::baselines, "of the task file, for scripts"),
            key("brief", &S::brief, "in prompts: what the verifier says of it, as hone.Brief"),
            key("hash", &S::digest, "SHA-256 of everything that decides a verdict")};
    }
};

struct TensorSpec {
    std::string name;
    int dtype;                        // HONE_F32 ...
    std::vector<std::int64_t> shape;  // numbers, for one shape of the task
    std::string law;                  // inputs only; sizes filled in: "index(512)"
    bool constant = false;            // inputs only: a weight, which a program may prepack (judge/call/prepack.hpp)
    bool strict = false;              // inputs only: no other values exist than the law's (a variance, a divisor)
    bool scalar = false;              // inputs only: passed by value; always strict
    int starts_as = -1;               // outputs only: number of the input that it begins as, -1: none
    std::int64_t elements() const;
    std::size_t bytes() const;
};

std::vector<TensorSpec> tensors(const Task&, const char* side /* "inputs" | "outputs" */, const Shape&);
std::vector<std::int64_t> sizes(const Task&, const Shape&);
inline const Shape& timed_shape(const Task& task) { return task.shape; }
inline const std::vector<Shape>& hidden_shapes(const Task& task) { return task.hidden; }
bool must_repeat(const Task&);                          // the same inputs give the same bits
bool leaves_out(const Task&, const std::string& kind);  // of special values: "zero", "denormal", "inf", "nan"
// of the longest sum behind an element; nullopt: the task does not tell
std::optional<double> sum_terms(const Task&, const Shape&);
int parse_dtype(const std::string&);  // "f32" -> HONE_F32; throws Error(input)
std::size_t dtype_bytes(int dtype);
// "normal", "normal(scale)", "uniform(scale,shift)", "integer", "index(n)", "index(n,first)", "value(x)" (scale 0);
// throws Error(input)
hone_law parse_law(const std::string&);

Json to_json(const Task&);
Task task_from_json(const Json&);  // what to_json gave; throws Error(input)
// Of a document that a person wrote: fills presets, sizes and the hash. Throws Error(input) naming task and field if
// the document is no task.
Task check_task(Json doc);

}  // namespace hone
