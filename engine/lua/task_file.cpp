#include "lua/task_file.hpp"
#include <algorithm>
#include <cmath>
#include <sstream>
#include "base/error.hpp"
#include "base/options.hpp"
#include "base/paths.hpp"
#include "domain/extent.hpp"
#include "lua/libraries.hpp"
#include "lua/reading.hpp"
#include "lua/suites.hpp"
#include "lua/tables.hpp"

namespace hone::lua {
namespace {

const std::vector<std::string> file_fields = {
    "name",      "statement", "spec",   "inputs",    "outputs",          "shapes",    "hidden",
    "multiples", "flops",     "bytes",  "tolerance", "integers",         "baselines", "role",
    "reference", "template",  "device", "verifier",  "baseline_program", "special",   "ranges",
    "terms",     "larger"};

int torch_is_elsewhere(lua_State* L) {
    fail(L, "torch." + std::string(luaL_tolstring(L, 2, nullptr)) +
                " is used while the task file is read; torch.* exists only inside `reference`, which a bench runs");
}

// The globals of task files: Lua's own, read-only, and a torch that can be named but not used.
void push_environment(lua_State* L) {
    lua_newtable(L);
    lua_pushglobaltable(L);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        lua_pushvalue(L, -2);
        lua_pushvalue(L, -2);
        lua_rawset(L, -6);
    }
    lua_pop(L, 1);
    lua_newtable(L);
    lua_newtable(L);
    lua_pushcfunction(L, torch_is_elsewhere);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    lua_setfield(L, -2, "torch");
    make_strict(L, -1);
}

// One task table of a file, on top of the stack, into its instances.
class TaskReader {
public:
    TaskReader(lua_State* L, const std::string& suite, const std::string& shown, const std::string& source, int index)
        : L_(L), table_(lua_absindex(L, -1)), shown_(shown) {
        if (!lua_istable(L, table_))
            throw Error(Blame::input, shown, "entry " + std::to_string(index) + " is no task table", cure);
        read_name(index);
        common_ = {{"name", name_}, {"suite", suite}, {"source", source}, {"index", index}};
        read_fields();
    }

    std::vector<LoadedTask> instances() {
        const Json shapes = take("shapes");
        if (!shapes.is_array() || shapes.empty())
            refuse("shapes", "needs at least one entry", "write shapes = { { R = 256, C = 512 }, ... }");
        auto function = read_function("template");
        read_definition();
        std::vector<LoadedTask> result;
        for (const Json& shape : shapes) result.push_back({instance(shape, result.empty()), function});
        return result;
    }

    // At a timed shape that the file need not list.
    Task instance_at(Json shape, const std::string& role) {
        take("shapes");
        read_definition();
        shape["role"] = role;
        return instance(std::move(shape), false);
    }

private:
    static constexpr const char* cure = "a task file returns one task table or a list of them";

    [[noreturn]] void refuse(const std::string& field, const std::string& cause, const std::string& remedy = {}) const {
        throw Error(Blame::input, shown_ + ": task \"" + name_ + "\"", field + ": " + cause, remedy);
    }

    void read_name(int index) {
        lua_getfield(L_, table_, "name");
        if (!Type<std::string>::is(L_, -1))
            throw Error(Blame::input, shown_, "task " + std::to_string(index) + " has no name",
                        "write name = \"softmax\"");
        name_ = Type<std::string>::get(L_, -1);
        lua_pop(L_, 1);
    }

    void read_fields() {
        for (lua_pushnil(L_); lua_next(L_, table_); lua_pop(L_, 1)) {
            lua_pushvalue(L_, -2);
            const std::string field = luaL_tolstring(L_, -1, nullptr);
            lua_pop(L_, 2);
            if (std::find(file_fields.begin(), file_fields.end(), field) == file_fields.end())
                refuse(field, "is no field of a task" + suggestion(field, file_fields));
            if (field == "reference" || field == "template" || field == "name") continue;
            try {
                common_[field] = to_json(L_, -1);
            } catch (const Error& error) {
                refuse(field, error.what());
            }
        }
    }

    void read_definition() {
        const auto reference = read_function("reference");
        if (!reference)
            refuse("reference", "is missing", "write reference = function(a) return torch.softmax(a, 1) end");
        common_["definition"] = lines_of(*reference, common_["source"]);
    }

    Json take(const char* field) {
        const auto found = common_.find(field);
        if (found == common_.end()) return nullptr;
        Json value = *found;
        common_.erase(found);
        return value;
    }

    std::shared_ptr<Ref> read_function(const char* field) {
        const int type = lua_getfield(L_, table_, field);
        if (type == LUA_TFUNCTION) return std::make_shared<Ref>(Ref::pop(L_));
        lua_pop(L_, 1);
        if (type != LUA_TNIL) refuse(field, std::string("is a ") + lua_typename(L_, type) + ", no function");
        return nullptr;
    }

    // The lines of a function: what a prompt may show of the file, whose template would give the answer away.
    std::string lines_of(const Ref& function, const std::string& source) const {
        lua_Debug place;
        function.push(L_);
        lua_getinfo(L_, ">S", &place);
        std::istringstream file(source);
        std::string line, text;
        for (int number = 1; number <= place.lastlinedefined && std::getline(file, line); ++number)
            if (number >= place.linedefined) text += line + "\n";
        return text;
    }

    Task instance(Json shape, bool first) {
        if (shape.is_array() && shape.empty()) shape = Json::object();  // of a task without sizes
        if (!shape.is_object()) refuse("shapes", "an entry is no table of sizes");
        Json doc = common_;
        if (shape.contains("role")) doc["role"] = shape["role"];
        shape.erase("role");
        for (const auto& [size, value] : shape.items())
            if (!value.is_number_integer()) refuse("shapes", size + " = " + value.dump() + " is no whole number");
        doc["shape"] = shape;
        if (doc.contains("hidden")) fill_hidden(doc["hidden"], shape.get<Shape>());
        fill_spec(doc, shape);
        for (const char* field : {"flops", "bytes"})
            if (doc.contains(field)) doc[field] = least_work(field, doc[field], shape);
        return named(check(doc), first);
    }

    Task named(Task task, bool first) {  // sizes are ordered by check_task, so a later instance gets its name after it
        if (first) return task;
        std::string numbers;
        for (const std::int64_t size : sizes(task, timed_shape(task)))
            numbers += (numbers.empty() ? ":" : "x") + std::to_string(size);
        task.instance = name_ + numbers;
        return task;
    }

    Task check(const Json& doc) {
        try {
            return check_task(doc);
        } catch (const Error& error) {
            throw Error(Blame::input, shown_, error.what());
        }
    }

    // "R+1" in a hidden shape is one more than the instance's timed R.
    void fill_hidden(Json& hidden, const Shape& timed) {
        if (!hidden.is_array() && !hidden.is_object()) return;  // check_task has words for that
        for (Json& shape : hidden) {
            if (!shape.is_object()) continue;
            for (const auto& [size, value] : shape.items()) {
                if (!value.is_string()) continue;
                const auto extent = Extent::from_json(value);
                if (!extent || (!extent->size.empty() && !timed.contains(extent->size)))
                    refuse("hidden", size + " = " + value.dump() +
                                         " is neither a number nor a size of the shape, such as \"R\" or \"R+1\"");
                value = extent->at(timed);
            }
        }
    }

    void fill_spec(Json& doc, const Json& shape) {
        if (!doc.contains("spec") || !doc["spec"].is_string()) return;  // check_task has words for that
        std::string spec = doc["spec"], filled;
        for (std::size_t at = 0; at < spec.size();) {
            const std::size_t close = spec[at] == '{' ? spec.find('}', at) : std::string::npos;
            if (close == std::string::npos) {
                filled += spec[at++];
                continue;
            }
            const std::string size = spec.substr(at + 1, close - at - 1);
            if (!shape.contains(size)) refuse("spec", "{" + size + "} is no size of the shape " + shape.dump());
            filled += shape[size].dump();
            at = close + 1;
        }
        doc["spec"] = filled;
    }

    // An expression over the sizes ("5*R*C"), or a number.
    Json least_work(const char* field, const Json& value, const Json& shape) {
        if (value.is_number()) return value;
        if (!value.is_string())
            refuse(field, "is neither a number nor an expression over the sizes, such as \"5*R*C\"");
        const std::string text = "return " + value.get<std::string>();
        if (luaL_loadbufferx(L_, text.data(), text.size(), "=expression", "t") != LUA_OK)
            refuse(field, "\"" + value.get<std::string>() + "\" is no expression");
        push_json(L_, shape);
        lua_getglobal(L_, "math");
        lua_setfield(L_, -2, "math");
        lua_setupvalue(L_, -2, 1);
        const bool fine =
            lua_pcall(L_, 0, 1, 0) == LUA_OK && lua_type(L_, -1) == LUA_TNUMBER && std::isfinite(lua_tonumber(L_, -1));
        if (!fine) refuse(field, "\"" + value.get<std::string>() + "\" is no number over the sizes of " + shape.dump());
        const double work = lua_tonumber(L_, -1);
        lua_pop(L_, 1);
        return work;
    }

    lua_State* L_;
    int table_;
    std::string shown_, name_;
    Json common_;
};

std::vector<fs::path> lua_files(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".lua") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    if (files.empty())
        throw Error(Blame::input, folder.string(), "holds no task files", "a suite is a folder of *.lua");
    return files;
}

std::string base_name(const std::string& instance) { return instance.substr(0, instance.find(':')); }

bool names(const std::string& name, const Task& task) { return name == task.name() || name == base_name(task.name()); }

bool named_in(const std::vector<std::string>& only, const Task& task) {
    return std::any_of(only.begin(), only.end(), [&](const std::string& name) { return names(name, task); });
}

bool has_role(const Task& task, const std::string& role) { return role == "all" || task.role == role; }

// What was asked for by name is not left out in silence.
void require_role(const std::string& name, const std::string& role, const std::vector<LoadedTask>& all,
                  const std::string& suite) {
    const Task* other = nullptr;
    for (const LoadedTask& loaded : all)
        if (names(name, loaded.task)) {
            if (has_role(loaded.task, role)) return;
            other = &loaded.task;
        }
    throw Error(Blame::input, "suite \"" + suite + "\"",
                "task \"" + name + "\" has the role \"" + other->role + "\", and \"" + role + "\" is asked for",
                "give role = \"all\"");
}

void check_only(const SuiteFilter& filter, const std::vector<LoadedTask>& all, const std::string& suite) {
    std::vector<std::string> known;
    for (const LoadedTask& loaded : all) known.push_back(loaded.task.name());
    for (const std::string& name : filter.only) {
        if (std::find(known.begin(), known.end(), name) == known.end())
            throw Error(Blame::input, "suite \"" + suite + "\"", "no task \"" + name + "\"" + suggestion(name, known));
        require_role(name, filter.role, all, suite);
    }
}

void refuse_doubles(const std::vector<LoadedTask>& all, const std::string& place) {
    std::vector<std::string> names;
    for (const LoadedTask& loaded : all) names.push_back(loaded.task.name());
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice != names.end())
        throw Error(Blame::input, place, "two tasks are called \"" + *twice + "\"",
                    "rename one or remove the repeated shape");
}

// The table that a task file returns; gives the number of tasks in it.
int push_file(lua_State* L, const std::string& source, const std::string& shown) {
    load_chunk(L, source, shown);
    push_environment(L);
    lua_setupvalue(L, -2, 1);
    lua_call(L, 0, 1);
    if (!lua_istable(L, -1))
        throw Error(Blame::input, shown, "returns no task", "a task file returns one task table or a list of them");
    return std::max(static_cast<int>(lua_rawlen(L, -1)), 1);
}

// Task number i, from 1, of the file's table on top of the stack, which may itself be the only one.
void push_task(lua_State* L, int i) {
    if (lua_rawlen(L, -1) > 0) lua_rawgeti(L, -1, i);
    else lua_pushvalue(L, -1);
}

Task read_at(lua_State* L, const Task& task, const Shape& shape) {
    const std::string shown = (task.suite.empty() ? "" : task.suite + "/") + base_name(task.name());
    const Reading reading(L, shown);
    const int top = lua_gettop(L), index = static_cast<int>(task.index);
    push_file(L, task.source, shown);
    push_task(L, index);
    Task made = TaskReader(L, task.suite, shown, task.source, index).instance_at(Json(shape), task.role);
    lua_settop(L, top);
    return made;
}

}  // namespace

std::vector<LoadedTask> read_task_file(lua_State* L, const fs::path& file, const std::string& suite,
                                       const std::string& shown) {
    const Reading reading(L, shown);
    const std::string source = read_script(file);
    const int count = push_file(L, source, shown);
    std::vector<LoadedTask> result;
    for (int i = 1; i <= count; ++i) {
        push_task(L, i);
        for (LoadedTask& loaded : TaskReader(L, suite, shown, source, i).instances())
            result.push_back(std::move(loaded));
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return result;
}

std::vector<LoadedTask> read_suite(lua_State* L, const std::string& name, const SuiteFilter& filter) {
    static const std::vector<std::string> roles = {"train", "auxiliary", "held-out", "flawed", "all"};
    if (std::find(roles.begin(), roles.end(), filter.role) == roles.end())
        throw Error(Blame::input, "suite \"" + name + "\"", "no role \"" + filter.role + "\"",
                    choose(filter.role, roles, "roles"));
    const fs::path folder = find_suite(State::of(L).folders(), name);
    const std::string suite = folder.filename().string();
    std::vector<LoadedTask> all, chosen;
    for (const fs::path& file : lua_files(folder))
        for (LoadedTask& loaded : read_task_file(L, file, suite, suite + "/" + file.filename().string()))
            all.push_back(std::move(loaded));
    refuse_doubles(all, "suite \"" + suite + "\"");
    check_only(filter, all, suite);
    for (LoadedTask& loaded : all) {
        const bool wanted =
            has_role(loaded.task, filter.role) && (filter.only.empty() || named_in(filter.only, loaded.task));
        if (wanted && (filter.limit == 0 || static_cast<std::int64_t>(chosen.size()) < filter.limit))
            chosen.push_back(std::move(loaded));
    }
    return chosen;
}

}  // namespace hone::lua

namespace hone {
namespace {

std::vector<Task> plain(std::vector<lua::LoadedTask> loaded) {
    std::vector<Task> tasks;
    for (lua::LoadedTask& one : loaded) tasks.push_back(std::move(one.task));
    return tasks;
}

std::string lists_tasks(const std::string& source) { return "`hone tasks " + source + "` lists them"; }

Task pick(std::vector<Task> tasks, const std::string& instance, const std::string& place, const std::string& cure) {
    std::vector<std::string> names;
    for (Task& task : tasks) {
        if (task.name() == instance) return std::move(task);
        names.push_back(task.name());
    }
    throw Error(Blame::input, place, "no task \"" + instance + "\"" + suggestion(instance, names), cure);
}

std::vector<std::string> whole_tasks(const std::vector<Task>& tasks) {
    std::vector<std::string> names;
    for (const Task& task : tasks)
        if (task.name().find(':') == std::string::npos) names.push_back(task.name());
    return names;
}

// `which`: a task's name, an instance's, or, where the file has one task, that shape alone or nothing.
Task pick_in_file(std::vector<Task> tasks, const std::string& path, const std::string& which) {
    const std::vector<std::string> names = whole_tasks(tasks);
    if (names.size() == 1 && which.empty()) return std::move(tasks.front());
    if (names.size() == 1 && which.substr(0, which.find(':')) != names.front())
        return pick(std::move(tasks), names.front() + ":" + which, path, lists_tasks(path));
    if (!which.empty()) return pick(std::move(tasks), which, path, lists_tasks(path));
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    throw Error(Blame::input, path, "holds " + std::to_string(names.size()) + " tasks: " + list,
                "name one of them: " + path + ":" + names.front());
}

}  // namespace

std::vector<Task> load_suite(const std::string& name) {
    std::vector<Task> tasks;
    lua::State state;
    state.protect([&](lua_State* L) { tasks = plain(lua::read_suite(L, name, {.role = "all", .only = {}})); });
    return tasks;
}

SuiteFiles load_suite_files(const std::string& name) {
    lua::State state;
    const lua::fs::path folder = find_suite(state.folders(), name);
    const std::string suite = folder.filename().string();
    std::vector<lua::LoadedTask> all;
    std::vector<Error> broken;
    for (const lua::fs::path& file : lua::lua_files(folder)) try {
            state.protect([&](lua_State* L) {
                const std::string shown = suite + "/" + file.filename().string();
                for (lua::LoadedTask& one : lua::read_task_file(L, file, suite, shown)) all.push_back(std::move(one));
            });
        } catch (const Error& error) {
            if (error.blame() == Blame::interrupted) throw;
            broken.push_back(error);
        }
    if (all.empty()) {
        const Error& first = broken.front();
        const std::string more = broken.size() > 1 ? " (and " + std::to_string(broken.size() - 1) + " more files)" : "";
        throw Error(first.blame(), first.place(), first.cause() + more, first.cure());
    }
    lua::refuse_doubles(all, "suite \"" + suite + "\"");
    return {plain(std::move(all)), std::move(broken)};
}

std::vector<Task> load_task_file(const std::string& path) {
    std::vector<Task> tasks;
    lua::State state;
    state.protect([&](lua_State* L) {
        std::vector<lua::LoadedTask> loaded = lua::read_task_file(L, path, "", path);
        lua::refuse_doubles(loaded, path);
        tasks = plain(std::move(loaded));
    });
    return tasks;
}

Task load_task(const std::string& address) {
    const std::string path = task_file_of(address);
    if (!path.empty())
        return pick_in_file(load_task_file(path), path, address.substr(std::min(path.size() + 1, address.size())));
    const std::size_t slash = address.rfind('/');
    if (slash == std::string::npos)
        throw Error(Blame::input, "task \"" + address + "\"", "is no address",
                    "write SUITE/TASK or the path of a task file");
    const std::string suite = address.substr(0, slash), name = address.substr(slash + 1);
    return pick(load_suite(suite), name, "suite \"" + suite + "\"", task_cure(name, lists_tasks(suite)));
}

std::vector<Task> load_instances(const std::string& address) {
    const std::string path = task_file_of(address), name = lua::base_name(load_task(address).name());
    std::vector<Task> tasks = path.empty() ? load_suite(address.substr(0, address.rfind('/'))) : load_task_file(path);
    std::erase_if(tasks, [&](const Task& task) { return lua::base_name(task.name()) != name; });
    return tasks;
}

Task at_shape(const Task& task, const Shape& shape) {
    if (shape == task.shape) return task;
    std::optional<Task> made;
    lua::State state;
    state.protect([&](lua_State* L) { made = lua::read_at(L, task, shape); });
    return *std::move(made);
}

std::string task_file_of(const std::string& address) {
    if (address.ends_with(".lua")) return address;
    const std::size_t at = address.rfind(".lua:");
    return at == std::string::npos ? "" : address.substr(0, at + 4);
}

}  // namespace hone
