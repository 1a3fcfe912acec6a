#include "commands/judge/shapes.hpp"
#include <algorithm>
#include <charconv>
#include <sstream>
#include "base/error.hpp"
#include "base/options.hpp"
#include "lua/task_file.hpp"

namespace hone {
namespace {

struct SizeValues {
    std::string size;
    std::vector<std::int64_t> values;
};

[[noreturn]] void refuse(const Task& task, const char* flag, const std::string& cause) {
    throw Error(Blame::usage, flag, cause, "sizes of the task: " + shape_text(task));
}

std::int64_t number(const Task& task, const char* flag, const std::string& size, const std::string& text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        refuse(task, flag, size + " = \"" + text + "\" is no whole number");
    return value;
}

// "R=256,C=256,1024": a word without "=" is another value of the size before it.
std::vector<SizeValues> read_sizes(const Task& task, const char* flag, const std::string& text) {
    std::vector<SizeValues> sizes;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos && sizes.empty()) refuse(task, flag, "\"" + word + "\" names no size");
        const std::string name = word.substr(0, equals);
        if (equals != std::string::npos &&
            std::any_of(sizes.begin(), sizes.end(), [&](const SizeValues& one) { return one.size == name; }))
            refuse(task, flag, "names \"" + name + "\" twice");
        if (equals != std::string::npos) sizes.push_back({name, {}});
        const std::string& size = sizes.back().size;
        if (std::find(task.sizes.begin(), task.sizes.end(), size) == task.sizes.end())
            refuse(task, flag, "the task has no size \"" + size + "\"" + suggestion(size, task.sizes));
        sizes.back().values.push_back(number(task, flag, size, word.substr(equals + 1)));
    }
    if (sizes.empty()) refuse(task, flag, "names no size");
    return sizes;
}

}  // namespace

std::string shape_text(const Task& task) {
    std::string text;
    for (const std::string& size : task.sizes)
        text += (text.empty() ? "" : ", ") + size + " = " + std::to_string(task.shape.at(size));
    return text;
}

Task at_sizes(const Task& task, const std::string& sizes) {
    Shape shape = task.shape;
    for (const SizeValues& one : read_sizes(task, "--shape", sizes)) {
        if (one.values.size() > 1)
            throw Error(Blame::usage, "--shape", one.size + " has several values", "write --sweep " + sizes);
        shape[one.size] = one.values.front();
    }
    return at_shape(task, shape);
}

std::vector<Task> at_all_sizes(const Task& task, const std::string& sizes, const std::string& fixed) {
    std::vector<SizeValues> given;
    if (!fixed.empty()) given = read_sizes(task, "--shape", fixed);
    std::vector<Shape> shapes = {task.shape};
    for (const SizeValues& one : read_sizes(task, "--sweep", sizes)) {
        if (std::any_of(given.begin(), given.end(), [&](const SizeValues& other) { return other.size == one.size; }))
            throw Error(Blame::usage, "--sweep", one.size + " has a value of --shape too",
                        "name each size in one of the two");
        std::vector<Shape> more;
        for (Shape& shape : shapes)
            for (const std::int64_t value : one.values) shape[one.size] = value, more.push_back(shape);
        shapes = std::move(more);
    }
    std::vector<Task> tasks;
    for (const Shape& shape : shapes) tasks.push_back(at_shape(task, shape));
    return tasks;
}

}  // namespace hone
