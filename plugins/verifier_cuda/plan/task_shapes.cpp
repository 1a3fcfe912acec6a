#include "verifier_cuda/plan/task_shapes.hpp"
#include <algorithm>
#include <cstdlib>
#include "hone/arguments.hpp"
#include "verifier_cuda/runner/program.hpp"

namespace hone::cuda {
namespace {

std::uint64_t bytes_of(const std::string& dtype) {
    if (dtype == "f64" || dtype == "i64") return 8;
    if (dtype == "f16" || dtype == "bf16") return 2;
    return dtype == "i8" || dtype == "u8" || dtype == "bool" ? 1 : 4;
}

std::int64_t size_named(const TaskShapes& task, const std::string& name, std::size_t shape) {
    const auto found = std::find(task.names.begin(), task.names.end(), name);
    if (found == task.names.end()) throw Refused("verifier.cuda: the task has no size \"" + name + "\"");
    return task.sizes[shape][static_cast<std::size_t>(found - task.names.begin())];
}

// "R", "2*C", "H+2", "2*R-1" or a number; the engine has checked its form.
std::int64_t extent(const TaskShapes& task, std::string text, std::size_t shape) {
    std::erase(text, ' ');
    const std::size_t star = text.find('*'), sign = text.find_first_of("+-"),
                      begin = star == std::string::npos ? 0 : star + 1;
    const std::int64_t factor = star == std::string::npos ? 1 : std::atoll(text.c_str());
    const std::int64_t summand = sign == std::string::npos ? 0 : std::atoll(text.c_str() + sign);
    return factor * size_named(task, text.substr(begin, sign == std::string::npos ? sign : sign - begin), shape) +
           summand;
}

std::vector<TensorSizes> read_tensors(Doc task, const TaskShapes& shapes, const std::string& side) {
    std::vector<TensorSizes> tensors;
    for (long i = 0; i < task.count(side); ++i) {
        const std::string at = side + "." + std::to_string(i) + ".";
        const std::string dtype = task.text(at + "dtype");
        TensorSizes tensor{task.text(at + "name"),
                           dtype.empty() ? "f32" : dtype,
                           bytes_of(dtype),
                           side == "inputs" && task.flag(at + "constant"),
                           task.flag(at + "scalar"),
                           side == "inputs" && !output_started_as(task, task.text(at + "name")).empty(),
                           {}};
        for (std::size_t s = 0; s < shapes.sizes.size(); ++s) {
            std::vector<std::int64_t>& numbers = tensor.shapes.emplace_back();
            for (long d = 0; d < task.count(at + "shape"); ++d) {
                const std::string path = at + "shape." + std::to_string(d), text = task.text(path);
                numbers.push_back(text.empty() ? task.integer(path, 1) : extent(shapes, text, s));
            }
        }
        tensors.push_back(std::move(tensor));
    }
    return tensors;
}

}  // namespace

std::uint64_t TensorSizes::elements(std::size_t shape) const {
    std::uint64_t product = 1;
    for (const std::int64_t n : shapes[shape]) product *= static_cast<std::uint64_t>(n);
    return product;
}

TaskShapes read_shapes(Doc task) {
    TaskShapes read;
    for (long i = 0; i < task.count("sizes"); ++i) read.names.push_back(task.text("sizes." + std::to_string(i)));
    std::vector<std::string> places = {"shape."};
    for (long i = 0; i < task.count("hidden"); ++i) places.push_back("hidden." + std::to_string(i) + ".");
    if (places.size() > max_shapes)
        throw Refused("verifier.cuda: a task of more than " + std::to_string(max_shapes) + " shapes");
    for (const std::string& place : places) {
        std::vector<std::int64_t>& numbers = read.sizes.emplace_back();
        for (const std::string& name : read.names) numbers.push_back(task.integer(place + name));
    }
    read.inputs = read_tensors(task, read, "inputs");
    read.outputs = read_tensors(task, read, "outputs");
    return read;
}

}  // namespace hone::cuda
