// lua/task_file.hpp: task files (docs/tasks.md) into task documents. A suite is a folder suites/NAME in a script
// folder, or any folder.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>
#include "base/error.hpp"
#include "domain/task.hpp"
#include "lua/stack.hpp"

namespace hone {

// Every instance of a suite, files in order of their names. Throws Error(input) naming file, task and field, or the
// nearest suite.
std::vector<Task> load_suite(const std::string& name_or_folder);
// The same of the files that are in order, and what is wrong with each other one. Throws where none is in order.
struct SuiteFiles {
    std::vector<Task> tasks;
    std::vector<Error> broken;
};
SuiteFiles load_suite_files(const std::string& name_or_folder);
// Every instance of every task of a file.
std::vector<Task> load_task_file(const std::string& path);
// "cpu-basics/softmax", "cpu-basics/softmax:512x1024", "file.lua:softmax" or "file.lua:softmax:512x1024"; of a file
// with one task also "file.lua" (its first instance) or "file.lua:512x1024". Throws Error(input) that lists a file's
// tasks where none is named.
Task load_task(const std::string& address);
// Every instance of the task that the address names, in the file's order. Throws as load_task does.
std::vector<Task> load_instances(const std::string& address);
// The same definition at another timed shape, which need not be in its file: hidden shapes, spec and least work follow.
// Throws Error(input) naming task and field where the task does not take that shape.
Task at_shape(const Task&, const Shape&);
// The path in an address of the last three kinds; else empty.
std::string task_file_of(const std::string& address);

namespace lua {

struct LoadedTask {
    Task task;
    std::shared_ptr<Ref> program_template;  // the file's `template` function, or null
};

struct SuiteFilter {
    std::string role = "train";     // "all": every role
    std::vector<std::string> only;  // instances, or names of whole tasks; empty: all
    std::int64_t limit = 0;         // 0: no limit
};

std::vector<LoadedTask> read_task_file(lua_State*, const std::filesystem::path& file, const std::string& suite,
                                       const std::string& shown);
std::vector<LoadedTask> read_suite(lua_State*, const std::string& name_or_folder, const SuiteFilter&);

}  // namespace lua
}  // namespace hone
