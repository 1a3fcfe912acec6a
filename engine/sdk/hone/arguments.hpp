// hone/arguments.hpp: what a program of a task is called with, for verifiers: inputs, outputs and sizes in their order.
// A scalar is passed by value; the input that an output starts as is no argument, since the output holds its values.
#pragma once
#include <string>
#include <vector>
#include "hone/plugin.hpp"

namespace hone {

struct Argument {
    enum class Kind { input, scalar, output, size } kind;
    long index;               // in hone_call's in, out or sizes
    std::string name, dtype;  // a size has no dtype
};

// The output of the task that begins as this input; "": none.
inline std::string output_started_as(Doc task, const std::string& input) {
    for (long i = 0; i < task.count("outputs"); ++i) {
        const std::string at = "outputs." + std::to_string(i);
        if (!input.empty() && task.text(at + ".starts_as") == input) return task.text(at + ".name");
    }
    return "";
}

inline std::vector<Argument> arguments(Doc task) {
    std::vector<Argument> list;
    const auto add = [&](Argument::Kind kind, const std::string& at, long index) {
        const std::string dtype = task.text(at + ".dtype");
        list.push_back({kind, index, task.text(at + ".name"), dtype.empty() ? "f32" : dtype});
    };
    for (long i = 0; i < task.count("inputs"); ++i) {
        const std::string at = "inputs." + std::to_string(i);
        if (!output_started_as(task, task.text(at + ".name")).empty()) continue;
        add(task.flag(at + ".scalar") ? Argument::Kind::scalar : Argument::Kind::input, at, i);
    }
    for (long i = 0; i < task.count("outputs"); ++i) add(Argument::Kind::output, "outputs." + std::to_string(i), i);
    for (long i = 0; i < task.count("sizes"); ++i)
        list.push_back({Argument::Kind::size, i, task.text("sizes." + std::to_string(i)), ""});
    return list;
}

// "const float* a, float s, float* o, long N". c_type: name of a dtype in the language, a function of text to text.
template <class CType> std::string c_parameters(Doc task, CType&& c_type) {
    std::string list;
    for (const Argument& a : arguments(task)) {
        const std::string type = a.kind == Argument::Kind::size ? "long" : c_type(a.dtype);
        const bool by_value = a.kind == Argument::Kind::size || a.kind == Argument::Kind::scalar;
        list += (list.empty() ? "" : ", ") + std::string(a.kind == Argument::Kind::input ? "const " : "") + type +
                (by_value ? " " : "* ") + a.name;
    }
    return list;
}

// What a brief has to say of outputs that are updated in place; "": there is none.
inline std::string in_place_text(Doc task) {
    std::string text;
    for (long i = 0; i < task.count("inputs"); ++i) {
        const std::string input = task.text("inputs." + std::to_string(i) + ".name"),
                          output = output_started_as(task, input);
        if (output.empty()) continue;
        text += output + " is updated in place: when a call begins it holds the values that the definition calls " +
                input + ", which is no argument. ";
    }
    return text;
}

}  // namespace hone
