// lua/task.hpp: tasks as scripts see them: the document's fields, and the file's template.
#pragma once
#include "domain/task.hpp"
#include "lua/run.hpp"

namespace hone::lua {

struct TaskHandle {
    static constexpr const char* lua_name = "hone.Task";
    Task task;
    std::shared_ptr<Ref> program_template;  // or null
};

Bindings task_bindings();     // run:suite, task:template
int task_member(lua_State*);  // fields of the document
int task_pairs(lua_State*);

}  // namespace hone::lua
